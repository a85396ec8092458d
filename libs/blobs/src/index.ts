export { Blobs, BlobsUnavailableError, blobsProvider } from './blobs.js';
