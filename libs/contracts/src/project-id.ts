/** `<entity>/<project>`: exactly one slash, no control characters. */
export const PROJECT_ID = /^[^/\u0000-\u001f\u007f]{1,128}\/[^/\u0000-\u001f\u007f]{1,128}$/;
