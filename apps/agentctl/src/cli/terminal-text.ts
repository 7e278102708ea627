import { randomBytes } from 'node:crypto'
import { StringDecoder } from 'node:string_decoder'
import { controlCharacters, visible } from '@agents/agent-events'

/**
 * Text from a cluster is written by whoever may create an object there, and a terminal obeys what is in it: escape
 * sequences move the cursor, rewrite what was shown, set the clipboard; bidirectional controls show a text in another
 * order than it has. So everything that is shown to a person goes through `visible`. Only our own marks become escape
 * sequences, and nobody else can write those.
 */
const nonce = randomBytes(8).toString('hex')
const ownMark = new RegExp(`\u001b\\]${nonce};(\\d+)\u0007`, 'g')

/** An SGR sequence that only this process can write. */
export function styleMark(code: number): string {
  return `\u001b]${nonce};${code}\u0007`
}

/** What a terminal or a file is given for text with our own marks in it. */
export function renderText(text: string): string {
  // At the odd places are the codes of our own marks.
  return text
    .split(ownMark)
    .map((part, index) => (index % 2 === 0 ? visible(part) : `\u001b[${part}m`))
    .join('')
}

/** JSON that says the same without a character that a terminal could obey. */
export function visibleJson(json: string): string {
  return json.replace(controlCharacters, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const colours = /(\u001b\[[0-9;]{0,32}m|\r)/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const begunColour = /\u001b(?:\[[0-9;]{0,32})?$/

/** For the output of programs at a terminal: colours and carriage returns are obeyed, everything else is shown. */
export function terminalFilter(): { write(bytes: Uint8Array): string; end(): string } {
  const decoder = new StringDecoder('utf8')
  let held = ''
  const escaped = (text: string): string =>
    text
      .split(colours)
      .map((part, index) => (index % 2 === 0 ? visible(part) : part))
      .join('')
  return {
    write: (bytes) => {
      const text = held + decoder.write(bytes)
      held = begunColour.exec(text)?.[0] ?? ''
      return escaped(text.slice(0, text.length - held.length))
    },
    end: () => {
      const last = held + decoder.end()
      held = ''
      return escaped(last)
    },
  }
}
