import {
  addAll,
  areDisjoint,
  type CharacterSet,
  classSource,
  emptySet,
  readAtom,
} from './character-set.ts'

/** A pattern that JavaScript's engine may run, with the maximum length of a text for it. */
interface SafePattern {
  readonly regex: RegExp
  readonly maxLength: number
}

/**
 * Translates a pattern for JavaScript's engine; undefined if that engine might differ from RE2 or take unbounded time.
 *
 * Supported are an optional `^`, a sequence of terms, and an optional `$`. A term is an atom (ASCII character, escape,
 * class) or a group of alternatives, with an optional greedy quantifier. Each atom is rebuilt from the characters that
 * it matches and never copied, so that the dialects cannot differ.
 *
 * A backtracking engine takes at most c·length^n steps, where c is the product of the choices (options, alternatives,
 * bounded repetitions) and n the number of unbounded repetitions, plus one without `^`. This holds if repetitions do
 * not nest. A repeated group may contain quantifiers only if it is delimited: it starts with an atom whose characters
 * do not occur elsewhere in it, and the text between delimiters matches in one way only (at most one term of variable
 * length). Then the engine has no choices, and the group counts as one repetition. RE2 matches texts that could take
 * more than a million steps.
 */
export function translateSafePattern(source: string): SafePattern | undefined {
  const anchored = source.startsWith('^')
  const hasEnd = /(?:^|[^\\])(?:\\\\)*\$$/.test(source)
  const end = hasEnd ? source.length - 1 : source.length
  const body = readSequence(source, anchored ? 1 : 0, end)
  if (body === undefined || body.end !== end) return undefined
  const exponent = body.unbounded + (anchored ? 0 : 1)
  if (exponent > 3 || body.choices > 10_000) return undefined
  return {
    regex: new RegExp(`${anchored ? '^' : ''}${body.text}${hasEnd ? '$' : ''}`, 'u'),
    maxLength:
      exponent === 0
        ? Number.POSITIVE_INFINITY
        : Math.floor((1_000_000 / body.choices) ** (1 / exponent)),
  }
}

interface Part {
  readonly text: string
  readonly end: number
  readonly unbounded: number
  readonly choices: number
  /** The characters of the first atom, if the part starts with a mandatory one. */
  readonly head: CharacterSet | undefined
  /** All other characters that the part can match. */
  readonly rest: CharacterSet
  /** Whether a given text can be matched in one way only, as a whole. */
  readonly isUnambiguous: boolean
  readonly isFixed: boolean
  /** Whether the part can match the empty text. */
  readonly isNullable: boolean
}

function readSequence(source: string, start: number, end: number): Part | undefined {
  let [text, at, unbounded, choices, variable] = ['', start, 0, 1, 0]
  let [isUnambiguous, isNullable] = [true, true]
  let head: CharacterSet | undefined
  const rest = emptySet()
  while (at < end && source[at] !== ')' && source[at] !== '|') {
    const term = source[at] === '(' ? readGroup(source, at, end) : readQuantified(source, at, end)
    if (term === undefined) return undefined
    if (at === start && term.isFixed && term.head !== undefined) head = term.head
    else {
      addAll(rest, term.rest)
      if (term.head !== undefined) addAll(rest, term.head)
    }
    text += term.text
    unbounded += term.unbounded
    choices *= term.choices
    variable += term.isFixed ? 0 : 1
    isUnambiguous &&= term.isUnambiguous
    isNullable &&= term.isNullable
    at = term.end
  }
  return {
    text,
    end: at,
    unbounded,
    choices,
    head,
    rest,
    isUnambiguous: isUnambiguous && variable <= 1,
    isFixed: variable === 0,
    isNullable,
  }
}

function readQuantified(source: string, start: number, end: number): Part | undefined {
  const atom = readAtom(source, start)
  if (atom === undefined || atom.end > end) return undefined
  const quantifier = readQuantifier(source, atom.end, end)
  if (quantifier === undefined) return undefined
  const isPlain = quantifier.text === ''
  return {
    text: classSource(atom.set) + quantifier.text,
    end: quantifier.end,
    unbounded: quantifier.isUnbounded ? 1 : 0,
    choices: quantifier.choices,
    head: isPlain ? atom.set : undefined,
    rest: isPlain ? emptySet() : atom.set,
    isUnambiguous: true,
    isFixed: quantifier.choices === 1 && !quantifier.isUnbounded,
    isNullable: quantifier.isNullable,
  }
}

function readGroup(source: string, start: number, end: number): Part | undefined {
  const branches: Part[] = []
  let at = start
  do {
    const branch = readSequence(source, at + 1, end)
    if (branch === undefined || branch.text === '') return undefined
    branches.push(branch)
    at = branch.end
  } while (source[at] === '|')
  const [only] = branches
  if (source[at] !== ')' || at >= end || only === undefined) return undefined
  const quantifier = readQuantifier(source, at + 1, end)
  if (quantifier === undefined) return undefined
  const rest = emptySet()
  for (const branch of branches) {
    addAll(rest, branch.rest)
    if (branch.head !== undefined) addAll(rest, branch.head)
  }
  const isSingle = branches.length === 1
  const isRepeated = quantifier.text !== '' && quantifier.text !== '?'
  const isSimple = isSingle && only.isFixed && only.unbounded === 0 && only.choices === 1
  const isDelimited =
    isSingle && only.isUnambiguous && only.head !== undefined && areDisjoint(only.head, only.rest)
  if (isRepeated && !isSimple && !isDelimited) return undefined
  const inner = branches.reduce((sum, branch) => sum + branch.unbounded, 0)
  const innerChoices = branches.reduce(
    (product, branch) => product * branch.choices,
    branches.length,
  )
  return {
    text: `(?:${branches.map((branch) => branch.text).join('|')})${quantifier.text}`,
    end: quantifier.end,
    unbounded: isRepeated ? 1 : inner,
    choices: isRepeated ? innerChoices : innerChoices * quantifier.choices,
    head: undefined,
    rest,
    // An option that can match the empty text would give the engine two ways to the same result.
    isUnambiguous:
      isSingle && only.isUnambiguous && !isRepeated && !(quantifier.isNullable && only.isNullable),
    isFixed: isSingle && only.isFixed && quantifier.text === '',
    isNullable: quantifier.isNullable || branches.some((branch) => branch.isNullable),
  }
}

interface Quantifier {
  readonly text: string
  readonly end: number
  readonly isUnbounded: boolean
  readonly choices: number
  readonly isNullable: boolean
}

function readQuantifier(source: string, start: number, end: number): Quantifier | undefined {
  const tail = source.slice(start, end)
  const text = /^(?:[?*+]|\{[0-9]{1,3}(?:,(?:[0-9]{1,3})?)?\})/.exec(tail)?.[0] ?? ''
  // A second quantifier would make it lazy or invalid; a brace that is not a quantifier is a literal in one dialect
  // only.
  if (/^[?*+{]/.test(tail.slice(text.length))) return undefined
  const isNullable = /^(?:[?*]|\{0+[,}])/.test(text)
  const found = { text, end: start + text.length, isNullable }
  if (text === '' || text === '?')
    return { ...found, isUnbounded: false, choices: text === '' ? 1 : 2 }
  if (text === '*' || text === '+' || text.endsWith(',}'))
    return { ...found, isUnbounded: true, choices: 1 }
  const [low = 0, high = low] = text.slice(1, -1).split(',').map(Number)
  return high < low ? undefined : { ...found, isUnbounded: false, choices: high - low + 1 }
}
