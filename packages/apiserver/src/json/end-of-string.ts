/**
 * Index of the quote that ends the JSON string that starts at `start`, or the length of the text if it is not closed.
 */
export function endOfString(text: string, start: number): number {
  for (
    let quote = text.indexOf('"', start + 1);
    quote !== -1;
    quote = text.indexOf('"', quote + 1)
  ) {
    let before = quote - 1
    while (text[before] === '\\') before--
    // An even number of backslashes does not escape the quote.
    if ((quote - 1 - before) % 2 === 0) return quote
  }
  return text.length
}
