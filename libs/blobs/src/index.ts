export { Blobs, BlobsUnavailableError, blobsProvider } from './blobs.js';
export { BucketDirectory } from './bucket-directory.js';
