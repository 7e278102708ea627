import { parseRegExp, type Term } from './regexp-parser.ts'

/** One instruction of a backtracking matcher. */
export type Instruction =
  | { readonly do: 'character'; readonly fits: (character: string) => boolean }
  | { readonly do: 'assert'; readonly source: '^' | '$' | '\\b' | '\\B' }
  | { readonly do: 'reference'; readonly group: number }
  /** Tries `first`, and the other one if the rest does not match. */
  | { readonly do: 'split'; first: number; second: number }
  | { readonly do: 'jump'; to: number }
  | { readonly do: 'save'; readonly register: number }
  /** A repetition that has read nothing ends. */
  | { readonly do: 'advanced'; readonly register: number }
  | { readonly do: 'look'; readonly program: Program; readonly isNot: boolean }
  | { readonly do: 'end' }

export interface Program {
  readonly instructions: readonly Instruction[]
  /** Lookbehinds are matched from their end to their start. */
  readonly isBackward: boolean
}

export interface CompiledRegExp {
  readonly program: Program
  readonly registers: number
}

/** Compiles to what a backtracking engine does, with nothing optimized. */
export function compileRegExp({ source, flags }: RegExp): CompiledRegExp {
  const { term, groups } = parseRegExp(source)
  const ownFlags = flags.replace(/[^isuv]/g, '')
  let registers = 2 * (groups + 1)

  function programOf(body: Term, isBackward: boolean): Program {
    const out: Instruction[] = []
    emit(body)
    out.push({ do: 'end' })
    return { instructions: out, isBackward }

    function emit(part: Term): void {
      if (part.kind === 'sequence') {
        for (const each of isBackward ? part.terms.toReversed() : part.terms) emit(each)
      } else if (part.kind === 'character') {
        out.push({ do: 'character', fits: characterTest(part.source, ownFlags) })
      } else if (part.kind === 'assertion') out.push({ do: 'assert', source: part.source })
      else if (part.kind === 'reference') out.push({ do: 'reference', group: part.group })
      else if (part.kind === 'group') {
        out.push({ do: 'save', register: 2 * part.group + (isBackward ? 1 : 0) })
        emit(part.body)
        out.push({ do: 'save', register: 2 * part.group + (isBackward ? 0 : 1) })
      } else if (part.kind === 'look') {
        out.push({ do: 'look', program: programOf(part.body, part.isBehind), isNot: part.isNot })
      } else if (part.kind === 'choice') emitChoice(part.options)
      else emitRepetition(part)
    }

    function emitChoice(options: readonly Term[]): void {
      const ends: { to: number }[] = []
      for (const option of options.slice(0, -1)) {
        const split = { do: 'split' as const, first: out.length + 1, second: 0 }
        out.push(split)
        emit(option)
        const jump = { do: 'jump' as const, to: 0 }
        out.push(jump)
        ends.push(jump)
        split.second = out.length
      }
      for (const option of options.slice(-1)) emit(option)
      for (const end of ends) end.to = out.length
    }

    function emitRepetition({ least, most, isLazy, body: each }: Repetition): void {
      for (let count = 0; count < least; count += 1) emit(each)
      const isEndless = most === Number.POSITIVE_INFINITY
      const exits: ((to: number) => void)[] = []
      for (let count = least; count < (isEndless ? least + 1 : most); count += 1) {
        const at = out.length
        const split = { do: 'split' as const, first: at + 1, second: at + 1 }
        out.push(split)
        exits.push((to) => {
          if (isLazy) split.first = to
          else split.second = to
        })
        // A character is never empty.
        if (each.kind === 'character') emit(each)
        else {
          const register = registers
          registers += 1
          out.push({ do: 'save', register })
          emit(each)
          out.push({ do: 'advanced', register })
        }
        if (isEndless) out.push({ do: 'jump', to: at })
      }
      for (const exit of exits) exit(out.length)
    }
  }

  return { program: programOf(term, false), registers }
}

type Repetition = Extract<Term, { kind: 'repetition' }>

/** Asks JavaScript once for each character. */
function characterTest(source: string, flags: string): (character: string) => boolean {
  const pattern = new RegExp(`^(?:${source})$`, flags)
  const known = new Map<string, boolean>()
  return (character) => {
    const answer = known.get(character)
    if (answer !== undefined) return answer
    const fits = plainTest.call(pattern, character) !== null
    known.set(character, fits)
    return fits
  }
}

/** Kept from before anybody counts. */
const plainTest = RegExp.prototype.exec
