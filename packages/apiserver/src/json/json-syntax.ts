/** The message of Go's decoder for a text that is not valid JSON. The text must be known to be invalid. */
export function jsonSyntaxProblem(text: string): string {
  return new SyntaxFinder(text).find()
}

type Expect = 'value' | 'key-or-end' | 'key' | 'colon' | 'object-comma' | 'array-comma' | 'end'

const after: Readonly<Record<Exclude<Expect, 'value'>, string>> = {
  'key-or-end': 'looking for beginning of object key string',
  key: 'looking for beginning of object key string',
  colon: 'after object key',
  'object-comma': 'after object key:value pair',
  'array-comma': 'after array element',
  end: 'after top-level value',
}

const spaces = /[ \t\r\n]*/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON does not allow them in texts.
const plainText = /[^"\\\u0000-\u001f]*/y

const endOfInput = 'unexpected end of JSON input'

class SyntaxFinder {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  find(): string {
    const open: ('{' | '[')[] = []
    let expect: Expect = 'value'
    // `]` may follow `[` but not a comma.
    let mayClose = false
    const closed = (): Expect =>
      open.length === 0 ? 'end' : open.at(-1) === '{' ? 'object-comma' : 'array-comma'
    for (;;) {
      this.#skip(spaces)
      const character = this.#text[this.#at]
      if (character === undefined) return expect === 'end' ? 'invalid JSON' : endOfInput
      if (expect === 'value') {
        if (character === ']' && mayClose) {
          open.pop()
          this.#at++
          expect = closed()
        } else if (character === '{' || character === '[') {
          open.push(character)
          this.#at++
          expect = character === '{' ? 'key-or-end' : 'value'
          mayClose = character === '['
        } else {
          const problem = this.#scalar(character)
          if (problem !== undefined) return problem
          expect = closed()
        }
        continue
      }
      const isKey = expect === 'key' || expect === 'key-or-end'
      if (isKey && character === '"') {
        const problem = this.#string()
        if (problem !== undefined) return problem
        expect = 'colon'
      } else if (expect === 'colon' && character === ':') {
        this.#at++
        expect = 'value'
        mayClose = false
      } else if ((expect === 'object-comma' || expect === 'array-comma') && character === ',') {
        this.#at++
        expect = expect === 'object-comma' ? 'key' : 'value'
        mayClose = false
      } else if (
        (character === '}' && (expect === 'object-comma' || expect === 'key-or-end')) ||
        (character === ']' && expect === 'array-comma')
      ) {
        open.pop()
        this.#at++
        expect = closed()
      } else return this.#invalid(after[expect])
    }
  }

  #scalar(character: string): string | undefined {
    if (character === '"') return this.#string()
    for (const literal of ['true', 'false', 'null']) {
      if (character === literal[0]) return this.#literal(literal)
    }
    if (!this.#skip(number)) {
      if (character !== '-') return this.#invalid('looking for beginning of value')
      this.#at++
      return this.#invalid('in numeric literal')
    }
    return undefined
  }

  /** Skips the match of a pattern at once, which is much faster than one character at a time. */
  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    const isFound = pattern.test(this.#text)
    if (isFound) this.#at = pattern.lastIndex
    return isFound
  }

  #literal(literal: string): string | undefined {
    for (const letter of literal) {
      if (this.#text[this.#at] !== letter) {
        return this.#invalid(`in literal ${literal} (expecting '${letter}')`)
      }
      this.#at++
    }
    return undefined
  }

  #string(): string | undefined {
    this.#at++
    for (;;) {
      this.#skip(plainText)
      const character = this.#text[this.#at]
      if (character === undefined) return endOfInput
      if (character === '"') {
        this.#at++
        return undefined
      }
      if (character < ' ') return this.#invalid('in string literal')
      this.#at++
      if (character !== '\\') continue
      const escaped = this.#text[this.#at]
      if (escaped === undefined) return endOfInput
      if (!'"\\/bfnrtu'.includes(escaped)) return this.#invalid('in string escape code')
      this.#at++
      if (escaped !== 'u') continue
      for (let digit = 0; digit < 4; digit++, this.#at++) {
        if (!/[0-9a-fA-F]/.test(this.#text[this.#at] ?? '')) {
          return this.#invalid('in \\u hexadecimal character escape')
        }
      }
    }
  }

  #invalid(where: string): string {
    const code = this.#text.codePointAt(this.#at)
    if (code === undefined) return endOfInput
    return `invalid character ${quoteRune(String.fromCodePoint(code))} ${where}`
  }
}

function quoteRune(character: string): string {
  if (character === "'") return `'\\''`
  if (character === '"') return `'"'`
  const code = character.charCodeAt(0)
  // Invisible characters that JSON does not escape.
  if (code >= 0x7f && code <= 0xa0)
    return `'${code === 0x7f ? '\\x7f' : `\\u00${code.toString(16)}`}'`
  return `'${JSON.stringify(character).slice(1, -1)}'`
}
