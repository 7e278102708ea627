import { unquote } from './unquote.ts'

/** A JSONPath of the Kubernetes dialect as a list of steps. */
export type JsonPath = readonly Step[]

export type Step =
  | { readonly step: 'field'; readonly name: string }
  | { readonly step: 'wildcard' }
  | { readonly step: 'recursive' }
  | { readonly step: 'slice'; readonly slice: Slice }
  | { readonly step: 'union'; readonly paths: readonly JsonPath[] }
  | { readonly step: 'filter'; readonly filter: Filter }
  | { readonly step: 'literal'; readonly value: string | number | boolean; readonly isFloat?: true }
  /** A bare word such as `range`, which is invalid in a column and fails when it is evaluated. */
  | { readonly step: 'word'; readonly word: string }

export interface Slice {
  readonly start: number | undefined
  readonly end: number | undefined
  readonly stride: number | undefined
  /** `[n]`, without an end. */
  readonly single: boolean
}

export interface Filter {
  readonly left: JsonPath
  readonly operator: string
  readonly right: JsonPath
}

/**
 * `.spec.a`, `['x']`, `[0]`, `[1:-1]`, `[*]`, `..name`, `[?(@.type=="Ready")].status`; `undefined` when it cannot be
 * read.
 */
export function parseJsonPath(text: string): JsonPath | undefined {
  return new Parser(text).parse()
}

const terminators = new Set([' ', '\t', '\r', '\n', '.', ',', '[', ']', '$', '@', '{', '}', ''])

class Parser {
  readonly #text: string
  readonly #steps: Step[] = []
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  parse(): JsonPath | undefined {
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at] ?? ''
      // Upstream wraps the path in braces, so a closing brace ends it.
      if (character === '}') break
      if (!this.#parseNext(character)) return undefined
    }
    return this.#steps
  }

  #parseNext(character: string): boolean {
    const text = this.#text
    if (text.startsWith('[?(', this.#at)) return this.#parseFilter()
    if (text.startsWith('..', this.#at)) return this.#parseRecursive()
    if (character === ' ' || character === '@' || character === '$') {
      this.#at++
      return true
    }
    if (character === '[') return this.#parseBrackets()
    if (character === '"' || character === "'") return this.#parseQuoted(character)
    if (character === '.') {
      this.#at++
      return this.#parseField()
    }
    if (/[-+0-9]/.test(character)) return this.#parseNumber()
    if (/[\p{L}\p{Nd}_]/u.test(character)) return this.#parseWord()
    return false
  }

  #parseField(): boolean {
    let name = ''
    while (!terminators.has(this.#text[this.#at] ?? '')) {
      if (this.#text[this.#at] === '\\') this.#at++
      name += this.#text[this.#at] ?? ''
      this.#at++
    }
    this.#steps.push(name === '*' ? { step: 'wildcard' } : { step: 'field', name })
    return true
  }

  #parseRecursive(): boolean {
    if (this.#steps.at(-1)?.step === 'recursive') return false
    this.#at += 2
    this.#steps.push({ step: 'recursive' })
    return /[\p{L}\p{Nd}_]/u.test(this.#text[this.#at] ?? '') ? this.#parseField() : true
  }

  #parseWord(): boolean {
    const start = this.#at
    while (!terminators.has(this.#text[this.#at] ?? '')) this.#at++
    const word = this.#text.slice(start, this.#at)
    const isBoolean = word === 'true' || word === 'false'
    this.#steps.push(
      isBoolean ? { step: 'literal', value: word === 'true' } : { step: 'word', word },
    )
    return true
  }

  #parseNumber(): boolean {
    const found = /^[-+]?[\d.]*/.exec(this.#text.slice(this.#at))?.[0] ?? ''
    this.#at += found.length
    const value = Number(found)
    if (!/\d/.test(found) || Number.isNaN(value)) return false
    const isFloat = found.includes('.')
    this.#steps.push({ step: 'literal', value, ...(isFloat ? { isFloat } : {}) })
    return true
  }

  #parseQuoted(quote: string): boolean {
    let end = this.#at + 1
    while (this.#text[end] !== quote || this.#text[end - 1] === '\\') {
      if (end >= this.#text.length || this.#text[end] === '\n') return false
      end++
    }
    const value = unquote(this.#text.slice(this.#at + 1, end), quote)
    if (value === undefined) return false
    this.#at = end + 1
    this.#steps.push({ step: 'literal', value })
    return true
  }

  #parseBrackets(): boolean {
    const end = this.#text.indexOf(']', this.#at)
    if (end === -1) return false
    const inside = this.#text.slice(this.#at + 1, end)
    this.#at = end + 1
    const parts = inside.split(',')
    if (parts.length === 1) return this.#add(bracketSteps(inside))
    const paths: JsonPath[] = []
    for (const part of parts) {
      const steps = bracketSteps(part.trim())
      if (steps === undefined) return false
      paths.push(steps)
    }
    return this.#add([{ step: 'union', paths }])
  }

  #parseFilter(): boolean {
    const end = filterEnd(this.#text, this.#at + 3)
    if (end === undefined) return false
    const inside = this.#text.slice(this.#at + 3, end)
    this.#at = end + 2
    const filter = parseFilter(inside)
    return this.#add(filter === undefined ? undefined : [{ step: 'filter', filter }])
  }

  #add(steps: readonly Step[] | undefined): boolean {
    if (steps === undefined) return false
    this.#steps.push(...steps)
    return true
  }
}

function bracketSteps(inside: string): readonly Step[] | undefined {
  const text = inside === '*' ? ':' : inside
  const key = /^'([^']*)'$/.exec(text)?.[1]
  // A key is parsed like a field, so its dots need a backslash even in quotes.
  if (key !== undefined) return parseJsonPath(`.${key}`)
  const slice = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text)
  if (slice === null) return undefined
  const [, start = '', end, stride] = slice
  if ([start, end?.slice(1), stride?.slice(1)].includes('-')) return undefined
  return [
    {
      step: 'slice',
      slice: {
        start: wholeNumber(start),
        end: end === undefined ? Number(start) + 1 : wholeNumber(end.slice(1)),
        stride: wholeNumber(stride?.slice(1) ?? ''),
        single: end === undefined,
      },
    },
  ]
}

function wholeNumber(text: string): number | undefined {
  return text === '' ? undefined : Number(text)
}

/** Index of the `)` in the `)]` that ends a filter, ignoring quoted text. */
function filterEnd(text: string, from: number): number | undefined {
  let quote: string | undefined
  let closed = false
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === '\n') return undefined
    if (character === '"' || character === "'") {
      if (quote === undefined) quote = character
      else if (character === quote && text[at - 1] !== '\\') closed = true
    } else if (character === ')' && (quote === undefined || closed)) {
      return text[at + 1] === ']' ? at : undefined
    }
  }
  return undefined
}

function parseFilter(inside: string): Filter | undefined {
  const compared = /^([^!<>=]+)([!<>=]+)(.+?)$/.exec(inside)
  const left = parseJsonPath(compared?.[1] ?? inside)
  if (left === undefined) return undefined
  if (compared === null) return { left, operator: 'exists', right: [] }
  const right = parseJsonPath(compared[3] ?? '')
  return right === undefined ? undefined : { left, operator: compared[2] ?? '', right }
}
