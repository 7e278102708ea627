import { type CompiledRegExp, compileRegExp, type Program } from './regexp-program.ts'

export interface CountedMatch {
  readonly steps: number
  /** The ends of the match; undefined if there is none. */
  readonly start?: number
  readonly end?: number
}

/** Thrown instead of counting for minutes. */
export class TooMuchWork extends Error {}

/** Matches as a backtracking engine does, such as JavaScript's, and counts its steps. */
export function matchCounted(
  regexp: RegExp,
  text: string,
  from: number,
  most: number,
): CountedMatch {
  const { program, registers } = compiled(regexp)
  const isUnicode = regexp.unicode || regexp.unicodeSets
  const matcher = new Matcher(text, regexp, most)
  for (let start = from; start <= text.length; start += isUnicode ? widthAt(text, start) : 1) {
    const end = matcher.run(program, start, new Array<number>(registers).fill(-1))?.at
    if (end !== undefined) return { steps: matcher.steps, start, end }
    if (regexp.sticky) break
  }
  return { steps: matcher.steps }
}

/** Programs by pattern: product code copies patterns. */
const programs = new Map<string, CompiledRegExp>()

function compiled(regexp: RegExp): CompiledRegExp {
  const key = `${regexp.flags}/${regexp.source}`
  const known = programs.get(key)
  if (known !== undefined) return known
  const fresh = compileRegExp(regexp)
  programs.set(key, fresh)
  return fresh
}

interface State {
  readonly at: number
  readonly saved: readonly number[]
}

class Matcher {
  steps = 0
  readonly #text: string
  readonly #isUnicode: boolean
  readonly #isMultiline: boolean
  readonly #ignoresCase: boolean
  readonly #most: number

  constructor(text: string, regexp: RegExp, most: number) {
    this.#text = text
    this.#isUnicode = regexp.unicode || regexp.unicodeSets
    this.#isMultiline = regexp.multiline
    this.#ignoresCase = regexp.ignoreCase
    this.#most = most
  }

  run({ instructions, isBackward }: Program, from: number, before: readonly number[]) {
    const left: (State & { readonly pc: number })[] = []
    let [pc, at, saved] = [0, from, before]
    for (;;) {
      this.steps += 1
      if (this.steps > this.#most) throw new TooMuchWork(`more than ${this.#most} steps`)
      const instruction = instructions[pc]
      let isStuck = false
      pc += 1
      if (instruction === undefined) throw new Error('a program without an end')
      if (instruction.do === 'end') return { at, saved }
      if (instruction.do === 'character') {
        const character = this.#characterAt(at, isBackward)
        isStuck = character === '' || !instruction.fits(character)
        at += isBackward ? -character.length : character.length
      } else if (instruction.do === 'split') {
        left.push({ pc: instruction.second, at, saved })
        pc = instruction.first
      } else if (instruction.do === 'jump') pc = instruction.to
      else if (instruction.do === 'save') saved = saved.with(instruction.register, at)
      else if (instruction.do === 'advanced') isStuck = saved[instruction.register] === at
      else if (instruction.do === 'assert') isStuck = !this.#holds(instruction.source, at)
      else if (instruction.do === 'look') {
        const found: State | undefined = this.run(instruction.program, at, saved)
        isStuck = (found === undefined) !== instruction.isNot
        if (found !== undefined && !instruction.isNot) saved = found.saved
      } else {
        const whole = this.#captured(instruction.group, saved)
        const start = isBackward ? at - whole.length : at
        this.steps += whole.length
        isStuck = !this.#isSame(this.#text.slice(Math.max(start, 0), start + whole.length), whole)
        at += isBackward ? -whole.length : whole.length
      }
      if (!isStuck) continue
      const next = left.pop()
      if (next === undefined) return undefined
      pc = next.pc
      at = next.at
      saved = next.saved
    }
  }

  #captured(group: number, saved: readonly number[]): string {
    const [start = -1, end = -1] = saved.slice(2 * group, 2 * group + 2)
    return start < 0 || end < 0 ? '' : this.#text.slice(start, end)
  }

  #isSame(one: string, other: string): boolean {
    return this.#ignoresCase ? one.toLowerCase() === other.toLowerCase() : one === other
  }

  #characterAt(at: number, isBackward: boolean): string {
    const text = this.#text
    if (!isBackward) return at >= text.length ? '' : text.slice(at, at + this.#width(at))
    if (at <= 0) return ''
    const isPair = this.#isUnicode && at > 1 && widthAt(text, at - 2) === 2
    return text.slice(at - (isPair ? 2 : 1), at)
  }

  #width(at: number): number {
    return this.#isUnicode ? widthAt(this.#text, at) : 1
  }

  #holds(assertion: '^' | '$' | '\\b' | '\\B', at: number): boolean {
    const text = this.#text
    if (assertion === '^') return at === 0 || (this.#isMultiline && isLineEnd(text[at - 1]))
    if (assertion === '$') return at === text.length || (this.#isMultiline && isLineEnd(text[at]))
    const isBoundary = isWord(text[at - 1]) !== isWord(text[at])
    return isBoundary === (assertion === '\\b')
  }
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

function isLineEnd(character: string | undefined): boolean {
  return character !== undefined && '\n\r\u2028\u2029'.includes(character)
}

const word = new Set('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_')

function isWord(character: string | undefined): boolean {
  return character !== undefined && word.has(character)
}
