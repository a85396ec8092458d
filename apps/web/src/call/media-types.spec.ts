import { embeddedType, fileType, shownType } from './media-types.js';

describe('media', () => {
  it('are shown by a list of types that cannot contain scripts', () => {
    expect(fileType('image.PNG')).toBe('image/png');
    expect(fileType('audio.wav')).toBe('audio/wav');
    expect(fileType('page.svg')).toBeUndefined();
    expect(fileType('obj.py')).toBeUndefined();
    expect(embeddedType('data:image/jpeg;base64,AAAA')).toBe('image/jpeg');
    expect(embeddedType('data:image/svg+xml;base64,AAAA')).toBeUndefined();
    expect(embeddedType('data:text/html;base64,AAAA')).toBeUndefined();
    expect(embeddedType('data:audio/wav;codecs=1;base64,AAAA')).toBe('audio/wav');
    expect(shownType('Audio/OGG; codecs=opus')).toBe('audio/ogg');
    expect(shownType('text/html')).toBeUndefined();
    expect(embeddedType('https://example.com/a.png')).toBeUndefined();
  });
});
