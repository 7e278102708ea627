import { matchCounted, TooMuchWork } from './regexp-steps.ts'

/**
 * What some work on text costs: steps of regular expressions, and characters that methods of strings visit. The same
 * work costs the same on every machine. Characters that are read by their index are not counted.
 */
export async function countWork(work: () => unknown, most = 100_000_000): Promise<number> {
  const counter = { count: 0, most, isPaused: false }
  const restore = [
    replaceMethod(RegExp.prototype, 'exec', (plain) => countingExec(plain, counter)),
    ...Object.entries(costs).map(([name, cost]) =>
      replaceMethod(String.prototype, name, (plain) => counting(plain, cost, counter)),
    ),
  ]
  try {
    await work()
  } finally {
    for (const undo of restore) undo()
  }
  return counter.count
}

/**
 * How often more a text costs than its parts: 1 if the work is linear in the length, the number of the parts if it is
 * quadratic, and `mostGrowth` if it is more than that.
 */
export async function growth(
  work: (text: string) => unknown,
  textOf: (length: number) => string,
  { length, parts }: { readonly length: number; readonly parts: number },
): Promise<number> {
  const [part, whole] = [textOf(length), textOf(length * parts)]
  const ofPart = await countWork(() => work(part))
  if (ofPart < 10) throw new Error(`counted ${ofPart} steps: the work is done by something else`)
  const linear = ofPart * parts
  try {
    return Math.min((await countWork(() => work(whole), mostGrowth * linear)) / linear, mostGrowth)
  } catch (error) {
    if (error instanceof TooMuchWork) return mostGrowth
    throw error
  }
}

/** Nothing is counted further. */
export const mostGrowth = 4

interface Counter {
  count: number
  readonly most: number
  /** What the counter itself does is not counted. */
  isPaused: boolean
}

type Method = (this: unknown, ...given: unknown[]) => unknown
type Cost = (text: string, result: unknown, given: readonly unknown[]) => number

function all({ length }: string): number {
  return length + 1
}

function one(): number {
  return 1
}

/** A search for text; those for a pattern are counted where the pattern is matched. */
function ofSearch(text: string, result: unknown, [what, from]: readonly unknown[]): number {
  if (typeof what !== 'string') return 1
  const start = Math.max(Number(from ?? 0), 0)
  return Math.max((typeof result === 'number' && result >= 0 ? result : text.length) - start, 0) + 1
}

function ofBackwardSearch(text: string, result: unknown, [, from]: readonly unknown[]): number {
  const start = Math.min(Number(from ?? text.length), text.length)
  return Math.max(start - (typeof result === 'number' ? Math.max(result, 0) : 0), 0) + 1
}

function ofInclusion(text: string, result: unknown, [what, from]: readonly unknown[]): number {
  return ofSearch(text, result === true ? text.indexOf(String(what), Number(from ?? 0)) : -1, [
    what,
    from,
  ])
}

function ofTrim(text: string, result: unknown): number {
  return text.length - String(result).length + 1
}

const costs: Readonly<Record<string, Cost>> = {
  indexOf: ofSearch,
  lastIndexOf: ofBackwardSearch,
  includes: ofInclusion,
  startsWith: (_text, _result, [what]) => String(what).length + 1,
  endsWith: (_text, _result, [what]) => String(what).length + 1,
  split: (text, _result, [by]) => (typeof by === 'string' ? all(text) : 1),
  replace: (text, _result, [what]) => (typeof what === 'string' ? all(text) : 1),
  replaceAll: (text, _result, [what]) => (typeof what === 'string' ? all(text) : 1),
  trim: ofTrim,
  trimStart: ofTrim,
  trimEnd: ofTrim,
  toLowerCase: all,
  toUpperCase: all,
  normalize: all,
  charAt: one,
  charCodeAt: one,
  codePointAt: one,
  at: one,
  // The characters are shared.
  slice: one,
  substring: one,
}

function counting(plain: Method, cost: Cost, counter: Counter): Method {
  return function counted(this: unknown, ...given) {
    const result = Reflect.apply(plain, this, given)
    if (counter.isPaused) return result
    counter.isPaused = true
    counter.count += cost(String(this), result, given)
    counter.isPaused = false
    return result
  }
}

function countingExec(plain: Method, counter: Counter): Method {
  return function counted(this: unknown, ...given) {
    if (counter.isPaused || !(this instanceof RegExp)) return Reflect.apply(plain, this, given)
    counter.isPaused = true
    try {
      const from = this.global || this.sticky ? this.lastIndex : 0
      const left = counter.most - counter.count
      const { steps, start, end } = matchCounted(this, String(given[0]), from, left)
      counter.count += steps
      const result = Reflect.apply(plain, this, given) as RegExpExecArray | null
      const ends = result === null ? [] : [result.index, result.index + result[0].length]
      if (ends[0] === start && ends[1] === end) return result
      throw new Error(`${this} matches ${ends.join(' to ')}, but was counted ${start} to ${end}`)
    } finally {
      counter.isPaused = false
    }
  }
}

function replaceMethod(owner: object, name: string, change: (plain: Method) => Method): () => void {
  const before = Object.getOwnPropertyDescriptor(owner, name)
  if (before === undefined) throw new Error(`no such method: ${name}`)
  Object.defineProperty(owner, name, { ...before, value: change(before.value as Method) })
  return () => void Object.defineProperty(owner, name, before)
}
