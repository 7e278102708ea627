import { labelKey, labelValue } from '../metadata/name-rules.ts'
import { badRequest } from '../status/api-error.ts'
import { invalidValue } from '../status/field-errors.ts'

export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt'

export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  readonly values: readonly string[]
}

/**
 * Parses `a=b,c!=d,e in (f,g),h notin (i),j,!k`. Throws a 400 with upstream's message. An empty selector matches
 * everything.
 */
export function parseLabelSelector(text: string): LabelRequirement[] {
  return new SelectorReader(tokenize(text)).selector()
}

export function matchesLabels(
  requirements: readonly LabelRequirement[],
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  for (const requirement of requirements) {
    if (!matchesOne(requirement, labels)) return false
  }
  return true
}

function matchesOne(
  { key, operator, values }: LabelRequirement,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  const has = labels !== undefined && Object.hasOwn(labels, key)
  const value = has ? labels[key] : undefined
  switch (operator) {
    case 'exists':
      return has
    case '!':
      return !has
    case '=':
    case '==':
    case 'in':
      return value !== undefined && values.includes(value)
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value)
    case 'gt':
    case 'lt':
      return compares(value, values[0] ?? '', operator)
  }
}

function compares(value: string | undefined, bound: string, operator: 'gt' | 'lt'): boolean {
  if (value === undefined || !integerPattern.test(value)) return false
  const difference = BigInt(value) - BigInt(bound)
  return operator === 'gt' ? difference > 0n : difference < 0n
}

const integerPattern = /^[+-]?\d+$/

interface Token {
  readonly type: 'word' | 'symbol' | 'error' | 'end'
  readonly text: string
}

const symbols = new Set(['(', ')', ',', '!', '!=', '=', '==', '>', '<'])
function isSymbol(character: string): boolean {
  return '=!(),><'.includes(character)
}
function isSpace(character: string): boolean {
  return ' \t\r\n'.includes(character)
}

/** Limits, since a watch evaluates its selector for every change and slows down all writes. */
const maxTokens = 20_000
const maxRequirements = 1_000

function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  let position = 0
  while (position < text.length) {
    if (tokens.length > maxTokens) throw badRequest(`the selector has more than ${maxTokens} parts`)
    const character = text[position] ?? ''
    if (isSpace(character)) {
      position++
      continue
    }
    let end = position + 1
    if (isSymbol(character)) {
      // The longest symbol wins: `!=` before `!`.
      while (end < text.length && symbols.has(text.slice(position, end + 1))) end++
      tokens.push({ type: 'symbol', text: text.slice(position, end) })
    } else {
      while (end < text.length && !isSymbol(text[end] ?? '') && !isSpace(text[end] ?? '')) end++
      tokens.push({ type: 'word', text: text.slice(position, end) })
    }
    position = end
  }
  tokens.push({ type: 'end', text: '' })
  return tokens
}

class SelectorReader {
  readonly #tokens: readonly Token[]
  #position = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  selector(): LabelRequirement[] {
    const requirements: LabelRequirement[] = []
    for (;;) {
      const next = this.#peek()
      if (next.type === 'end') return requirements
      if (next.type !== 'word' && next.text !== '!') {
        throw badRequest(`found '${next.text}', expected: !, identifier, or 'end of string'`)
      }
      if (requirements.length === maxRequirements) {
        throw badRequest(`the selector has more than ${maxRequirements} requirements`)
      }
      requirements.push(this.#requirement())
      const separator = this.#take()
      if (separator.type === 'end') return requirements
      if (separator.text !== ',') {
        throw badRequest(`found '${separator.text}', expected: ',' or 'end of string'`)
      }
      const after = this.#peek()
      if (after.type !== 'word' && after.text !== '!') {
        throw badRequest(`found '${after.text}', expected: identifier after ','`)
      }
    }
  }

  #requirement(): LabelRequirement {
    let token = this.#take()
    const negated = token.type === 'symbol' && token.text === '!'
    if (negated) token = this.#take()
    if (token.type !== 'word') throw refuse(`found '${token.text}', expected: identifier`)
    const key = token.text
    const wrong = labelKey(key)
    if (wrong.length > 0) throw refuseValue('<nil>', key, wrong)
    const next = this.#peek()
    // The caller rejects whatever follows a negated key.
    if (negated) return { key, operator: '!', values: [] }
    if (next.type === 'end' || next.text === ',') return { key, operator: 'exists', values: [] }
    const operator = this.#operator()
    const values = operator === 'in' || operator === 'notin' ? this.#set() : [this.#exactValue()]
    check(key, operator, values)
    return { key, operator, values }
  }

  #operator(): LabelOperator {
    const { text } = this.#take()
    switch (text) {
      case '=':
      case '==':
      case '!=':
      case 'in':
      case 'notin':
        return text
      case '>':
        return 'gt'
      case '<':
        return 'lt'
      default:
        throw refuse(`found '${text}', expected: in, notin, =, ==, !=, gt, lt`)
    }
  }

  #set(): string[] {
    const open = this.#take()
    if (open.text !== '(') throw refuse(`found '${open.text}' expected: '('`)
    const first = this.#peek()
    if (first.text === ')' && first.type === 'symbol') {
      this.#take()
      return ['']
    }
    if (first.type !== 'word' && first.text !== ',') {
      throw refuse(`found '${first.text}', expected: ',', ')' or identifier`)
    }
    return this.#setMembers()
  }

  #setMembers(): string[] {
    const values = new Set<string>()
    for (;;) {
      const token = this.#take()
      const next = this.#peek()
      if (token.type === 'word') {
        values.add(token.text)
        if (next.text === ')') break
        if (next.text !== ',') throw refuse(`found '${next.text}', expected: ',' or ')'`)
      } else if (token.text === ',') {
        // A missing value between commas or at either end is the empty string.
        if (values.size === 0 || next.text === ',' || next.text === ')') values.add('')
        if (next.text === ')') break
      } else {
        throw refuse(`found '${token.text}', expected: ',', or identifier`)
      }
    }
    this.#take()
    return [...values].sort()
  }

  #exactValue(): string {
    const next = this.#peek()
    if (next.type === 'end' || next.text === ',') return ''
    this.#take()
    if (next.type !== 'word') throw refuse(`found '${next.text}', expected: identifier`)
    return next.text
  }

  #peek(): Token {
    return this.#tokens[this.#position] ?? { type: 'end', text: '' }
  }

  #take(): Token {
    const token = this.#peek()
    this.#position++
    return token
  }
}

function check(key: string, operator: LabelOperator, values: readonly string[]): void {
  for (const [index, value] of values.entries()) {
    if ((operator === 'gt' || operator === 'lt') && !integerPattern.test(value)) {
      throw refuseValue(`values[${index}]`, value, [
        "for 'Gt', 'Lt' operators, the value must be an integer",
      ])
    }
    const wrong = labelValue(value)
    if (wrong.length > 0) throw refuseValue(`values[${index}][${key}]`, value, wrong)
  }
}

function refuse(message: string): Error {
  return badRequest(`unable to parse requirement: ${message}`)
}

function refuseValue(path: string, value: string, messages: readonly string[]): Error {
  return refuse(`${path}: ${invalidValue(path, value, messages.join('; ')).message}`)
}
