export { blobsProvider } from './blobs.provider.js';
export { Blobs, BlobsAway } from './blobs.js';
