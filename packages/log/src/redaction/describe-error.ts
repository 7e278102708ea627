/** A field's name and how to read it; reading may run a getter, and so may throw. */
export type Field = readonly [name: string, read: () => unknown]

// In the order in which a person reads them; other fields of the error follow.
const ownFirst = ['name', 'message', 'code']
const ownLast = ['stack', 'cause', 'errors']

/** An error's fields, its own extra ones and its chain of causes included. */
export function describeError(error: Error): Field[] {
  const read = (key: string) => () => Reflect.get(error, key) as unknown
  const extras = Object.keys(error).filter(
    (key) => !ownFirst.includes(key) && !ownLast.includes(key),
  )
  return [
    ...[...ownFirst, ...extras].map((key) => [key, read(key)] as const),
    ['stack', () => framesOf(error.stack)],
    ['cause', read('cause')],
    ['errors', read('errors')],
  ]
}

/** The stack without its head, which repeats name and message. */
function framesOf(stack: unknown): string | undefined {
  if (typeof stack !== 'string') return undefined
  const frames = stack.split('\n').filter((line) => line.startsWith('    at '))
  return frames.length === 0 ? undefined : frames.map((frame) => frame.trim()).join('\n')
}
