import { isNode, LineCounter, parseDocument } from 'yaml'

/** Something that is wrong with a text, and where if that is known. */
export interface Problem {
  readonly message: string
  /** From 1. */
  readonly line?: number
}

type Path = readonly (string | number)[]

/** What keeps the text from being YAML. */
export function syntaxProblems(text: string): readonly Problem[] {
  const lines = new LineCounter()
  const { errors } = parseDocument(text, { lineCounter: lines })
  return errors.map(({ message, pos: [at] }) => ({
    message: message.split('\n')[0] ?? message,
    line: lines.linePos(at).line,
  }))
}

/**
 * The refusal of the API server, split into the fields that it names: `… is invalid: [spec.a: Required value,
 * spec.b[0].c: Invalid value: "x"]`, or `strict decoding error: unknown field "spec.no"`.
 */
export function serverProblems(text: string, message: string): readonly Problem[] {
  const starts = [...message.matchAll(/(?<=[[ ,])((?:spec|metadata)[\w.[\]"/-]*): (?=[A-Z])/g)]
  const invalid = starts.map(({ index, 1: path = '' }, at) => {
    const end = starts[at + 1]?.index ?? message.length
    const line = lineOf(text, readPath(path))
    const what = message.slice(index, end).replace(/[,\s\]]+$/, '')
    return { message: what, ...(line !== undefined && { line }) }
  })
  const unknown = [...message.matchAll(/unknown field "([^"]+)"/g)].map(([what, path = '']) => {
    const line = lineOf(text, readPath(path))
    return { message: what, ...(line !== undefined && { line }) }
  })
  const all = [...invalid, ...unknown]
  return all.length > 0 ? all : [{ message }]
}

/** `spec.steps[0].name` → `['spec', 'steps', 0, 'name']` */
function readPath(path: string): Path {
  return [...path.matchAll(/\[(\d+)\]|\["?([^\]"]+)"?\]|([^.[\]]+)/g)].map(
    ([, index, key, name]) => (index === undefined ? (key ?? name ?? '') : Number(index)),
  )
}

/** The line of a field, or of the nearest that exists around it. */
function lineOf(text: string, path: Path): number | undefined {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, keepSourceTokens: true })
  for (let length = path.length; length > 0; length -= 1) {
    const parent =
      length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true)
    const found = positionIn(parent, path[length - 1])
    if (found !== undefined) return lines.linePos(found).line
  }
  return undefined
}

/** Where the key or item begins. */
function positionIn(parent: unknown, key: string | number | undefined): number | undefined {
  const items = (parent as { readonly items?: readonly unknown[] } | null)?.items ?? []
  if (typeof key === 'number') {
    const item = items[key]
    return isNode(item) ? item.range?.[0] : undefined
  }
  for (const pair of items) {
    const name = (pair as { readonly key?: unknown }).key
    if (isNode(name) && String(name) === key) return name.range?.[0]
  }
  return undefined
}
