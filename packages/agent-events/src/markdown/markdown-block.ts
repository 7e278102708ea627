import { visible } from '../text/visible.ts'

/**
 * A text under a heading of our own. Each line is indented, which makes it code in Markdown: nothing in it is a
 * heading, a link or HTML, and nothing in it can end the block.
 */
export function markdownBlock(heading: string, text: string, longest: number): string {
  return `\n### ${heading}\n\n${indented(text, longest)}`
}

/** The lines of a text, indented, with a note if it is longer than shown. */
export function indented(text: string, longest: number): string {
  // Counted before control characters are made visible, which lengthens the text to at most nine times.
  const rest = text.length - longest
  const shown = rest > 0 ? text.slice(0, longest).toWellFormed() : text
  const lines = withoutLastBreaks(shown.replaceAll('\r\n', '\n'))
    .split('\n')
    .map((line) => `    ${visible(line)}\n`)
    .join('')
  return rest > 0 ? `${lines}    … ${rest} more characters\n` : lines
}

function withoutLastBreaks(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n') end -= 1
  return text.slice(0, end)
}
