/** A part of a regular expression. */
export type Term =
  | { readonly kind: 'character'; readonly source: string }
  | { readonly kind: 'assertion'; readonly source: '^' | '$' | '\\b' | '\\B' }
  | { readonly kind: 'reference'; readonly group: number }
  | { readonly kind: 'group'; readonly group: number; readonly body: Term }
  | {
      readonly kind: 'look'
      readonly isBehind: boolean
      readonly isNot: boolean
      readonly body: Term
    }
  | {
      readonly kind: 'repetition'
      readonly least: number
      readonly most: number
      readonly isLazy: boolean
      readonly body: Term
    }
  | { readonly kind: 'sequence'; readonly terms: readonly Term[] }
  | { readonly kind: 'choice'; readonly options: readonly Term[] }

/** Reads the source of a RegExp that JavaScript has accepted. */
export function parseRegExp(source: string): { readonly term: Term; readonly groups: number } {
  const names = groupNames(source)
  let at = 0
  let groups = 0

  function choice(): Term {
    const options = [sequence()]
    while (source[at] === '|') {
      at += 1
      options.push(sequence())
    }
    return options.length === 1 && options[0] ? options[0] : { kind: 'choice', options }
  }

  function sequence(): Term {
    const terms: Term[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')')
      terms.push(quantified(single()))
    return { kind: 'sequence', terms }
  }

  function quantified(body: Term): Term {
    const range = quantifier.exec(source.slice(at, at + 30))
    if (range === null) return body
    at += range[0].length
    const [, sign = '', least = '', comma, most = '', lazy] = range
    const [from, to] = boundsOf[sign] ?? [
      Number(least),
      comma === undefined ? Number(least) : most === '' ? Number.POSITIVE_INFINITY : Number(most),
    ]
    return { kind: 'repetition', least: from, most: to, isLazy: lazy !== '', body }
  }

  function single(): Term {
    const start = at
    const character = source[at]
    if (character === '(') return group()
    if (character === '^' || character === '$') {
      at += 1
      return { kind: 'assertion', source: character }
    }
    if (character === '[') {
      at = endOfClass(source, at)
      return { kind: 'character', source: source.slice(start, at) }
    }
    if (character !== '\\') {
      at += 1
      return { kind: 'character', source: source.slice(start, at) }
    }
    return escapedTerm()
  }

  function escapedTerm(): Term {
    const [text = ''] = escaped.exec(source.slice(at)) ?? []
    if (text === '') throw new Error(`cannot read /${source}/ at ${at}`)
    at += text.length
    if (text === '\\b' || text === '\\B') return { kind: 'assertion', source: text }
    if (text.startsWith('\\k')) {
      return { kind: 'reference', group: names.indexOf(text.slice(3, -1)) + 1 }
    }
    if (/^\\[1-9]/.test(text)) return { kind: 'reference', group: Number(text.slice(1)) }
    return { kind: 'character', source: text }
  }

  function group(): Term {
    const [opener = ''] = groupOpener.exec(source.slice(at)) ?? []
    at += opener.length
    const isLook = /^\(\?<?[=!]/.test(opener)
    const isCapture = !isLook && opener !== '(?:'
    if (isCapture) groups += 1
    const number = groups
    const body = choice()
    at += 1
    if (isLook) {
      return { kind: 'look', isBehind: opener[2] === '<', isNot: opener.endsWith('!'), body }
    }
    return isCapture ? { kind: 'group', group: number, body } : body
  }

  const term = choice()
  if (at !== source.length) throw new Error(`cannot read /${source}/ at ${at}`)
  return { term, groups }
}

const quantifier = /^(?:([*+?])|\{(\d+)(,)?(\d*)\})(\??)/
const boundsOf: Readonly<Record<string, readonly [number, number]>> = {
  '*': [0, Number.POSITIVE_INFINITY],
  '+': [1, Number.POSITIVE_INFINITY],
  '?': [0, 1],
}
const escaped =
  /^\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]+\}|[pP]\{[^}]*\}|c[A-Za-z]|k<[^>]*>|[1-9]\d*|[\s\S])/
const groupOpener = /^\((?:\?(?::|<?[=!]|<[^>]*>))?/

function groupNames(source: string): string[] {
  const openers = source.matchAll(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\((?!\?)|\(\?<([^=!][^>]*)>/g)
  return [...openers].filter(([text]) => text.startsWith('(')).map(([, name = '']) => name)
}

function endOfClass(source: string, from: number): number {
  let at = from + 1
  while (at < source.length && source[at] !== ']') at += source[at] === '\\' ? 2 : 1
  return at + 1
}
