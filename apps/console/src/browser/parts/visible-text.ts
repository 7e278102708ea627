/**
 * Characters that would change how others are read: controls, and those that change the direction of text or cannot
 * be seen. Tab and line feed are not among them.
 */
const deceptive =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu

/** Text of others as it may be shown: nothing in it hides or reorders anything. */
export function visibleText(text: string): string {
  return text.replaceAll(deceptive, (character) => {
    const code = character.codePointAt(0) ?? 0
    if (code < 0x20) return String.fromCharCode(0x2400 + code)
    if (code === 0x7f) return '␡'
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
  })
}
