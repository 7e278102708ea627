/**
 * Characters that change how a text is shown. Line breaks and tabs are text. C0, DEL, C1, line and paragraph
 * separators, bidirectional controls, invisible characters.
 */
export const controlCharacters =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu

/** Shows control characters instead of obeying them: `^[` for ESC, `<U+202E>` for what has no such name. */
export function visible(text: string): string {
  return text.replace(controlCharacters, visibleControl)
}

function visibleControl(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`
  if (code === 0x7f) return '^?'
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
}
