const newline = 0x0a

/** The lines of a stream, without their ends. A line longer than `longestBytes` is an error. */
export async function* linesOf(
  stream: AsyncIterable<Buffer>,
  longestBytes: number,
): AsyncGenerator<string> {
  let parts: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      yield Buffer.concat([...parts, chunk.subarray(start, end)]).toString('utf8')
      parts = []
      size = 0
      start = end + 1
    }
    size += chunk.length - start
    if (size > longestBytes) throw new RangeError(`a line has more than ${longestBytes} bytes`)
    if (start < chunk.length) parts.push(chunk.subarray(start))
  }
  if (size > 0) yield Buffer.concat(parts).toString('utf8')
}

export function parsedObject(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
