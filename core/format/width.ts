// The width of a text in terminal columns.

const segments = new Intl.Segmenter('en', { granularity: 'grapheme' })
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])|\ufe0f/u
const invisible = /^[\p{Mark}\p{Cf}\p{Cc}]+$/u

/** Two for East Asian wide characters and emoji, none for marks and controls, one for the rest. */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of segments.segment(text)) {
    width += wide.test(segment) ? 2 : invisible.test(segment) ? 0 : 1
  }
  return width
}
