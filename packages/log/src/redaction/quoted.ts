/**
 * The index of the closing quote of a string, or the length of the text if there is none. `opener` is the opening quote
 * with the backslashes before it: `\"` for JSON inside a JSON string, and `\\\"` one level deeper.
 */
export function endOfQuoted(text: string, from: number, opener: string): number {
  const quote = opener.slice(-1)
  const level = opener.length - 1
  let at = text.indexOf(quote, from)
  while (at !== -1) {
    // At level n each character of content that needs escaping has n + 1 backslashes.
    if (backslashesBefore(text, at, from) % (2 * (level + 1)) === level) return at - level
    at = text.indexOf(quote, at + 1)
  }
  return text.length
}

function backslashesBefore(text: string, at: number, from: number): number {
  let count = 0
  while (at - count - 1 >= from && text.charAt(at - count - 1) === '\\') count += 1
  return count
}
