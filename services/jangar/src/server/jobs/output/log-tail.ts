import type { KubeClient, ObjectKey } from '@agents/kube'

/** The last lines of a container's output. */
export interface LogTail {
  readonly text: string
  /** Whether earlier lines are missing. */
  readonly isCutBefore: boolean
  /** Whether the text ends early. */
  readonly isCutAfter: boolean
}

const tailLines = 40
const limitBytes = 32 * 1024
const timeoutMs = 5000

/** Undefined if the log cannot be read, for any reason: only a message depends on it. */
export async function readLogTail(
  client: Pick<KubeClient, 'podLog'>,
  pod: ObjectKey,
  container: string,
  signal: AbortSignal,
): Promise<LogTail | undefined> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    const options = { container, tailLines, limitBytes, retries: 0, signal: deadline }
    const stream = await client.podLog(pod, options)
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of stream) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= limitBytes) break
    }
    stream.close()
    const text = Buffer.concat(chunks).toString('utf8')
    const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
    return { text, isCutBefore: lines >= tailLines, isCutAfter: size >= limitBytes }
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}
