export { blobsProvider } from './blobs.provider.js';
export { Blobs, BlobsUnavailableError } from './blobs.js';
