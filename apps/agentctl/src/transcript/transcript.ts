import { type AgentEvent, readAgentEvents, type Usage } from '@agents/agent-events'
import type { Output } from '../cli/command-context.ts'
import { renderEvent } from './render-event.ts'

/** Shows the output of an agent to a person: the JSON protocol of the known CLIs as text, everything else as it is. */
export interface Transcript {
  write(bytes: Uint8Array): Promise<void>
  /** Shows a last line without a line feed. */
  end(): Promise<void>
  /** Whether the last line that was shown has no line feed. The caller then ends that line. */
  takeMidLine(): boolean
}

/** Shows the output byte for byte. */
export function createCopy(stdout: Pick<Output, 'pour'>): Transcript {
  let isMidLine = false
  return {
    write: async (bytes) => {
      isMidLine = bytes.at(-1) !== newline
      await stdout.pour(bytes)
    },
    end: () => Promise.resolve(),
    takeMidLine: () => {
      const was = isMidLine
      isMidLine = false
      return was
    },
  }
}

const newline = 0x0a
const brace = 0x7b
const nothing = Buffer.alloc(0)
/** A longer line is shown as it is, so that no agent can fill the memory. */
const longestLine = 4 * 1024 * 1024

export function createTranscript(stdout: Pick<Output, 'write' | 'pour' | 'style'>): Transcript {
  const held: Buffer[] = []
  let heldBytes = 0
  let isMidLine = false
  /** The rest of a line that was too long to be held. */
  let isTooLong = false
  let isMidMessage = false
  let total: Usage = {}
  /** CLIs repeat an error when they give up because of it. */
  let lastError = ''

  const pour = async (bytes: Uint8Array): Promise<void> => {
    if (isMidMessage) put('')
    isMidLine = bytes.at(-1) !== newline
    await stdout.pour(bytes)
  }
  const put = (text: string): void => {
    const separator = isMidMessage ? '\n' : ''
    isMidMessage = false
    isMidLine = false
    const line = text === '' ? '' : `${text}\n`
    if (separator !== '' || line !== '') stdout.write(`${separator}${line}`)
  }
  const show = (event: AgentEvent): void => {
    if (event.is === 'usage') {
      total = event.adds === true ? added(total, event.usage) : event.usage
      put(renderEvent({ is: 'usage', usage: total }, stdout.style))
    } else if (event.is === 'message' && event.partial === true) {
      stdout.write(event.text)
      isMidMessage = !event.text.endsWith('\n')
      isMidLine = isMidMessage
    } else {
      const isRepeated = event.is === 'error' && event.text === lastError
      lastError = event.is === 'error' ? event.text : ''
      const text = isRepeated ? '' : renderEvent(event, stdout.style)
      if (text !== '') put(text)
    }
  }
  const showLine = async (line: Buffer): Promise<void> => {
    const events = readAgentEvents(line.toString('utf8'))
    if (events === undefined) await pour(line)
    else {
      for (const event of events) show(event)
      // Waits for a slow reader.
      await stdout.pour(nothing)
    }
  }
  const takeHeld = (): Buffer => {
    const line = Buffer.concat(held)
    held.length = 0
    heldBytes = 0
    return line
  }
  const takeLine = async (part: Buffer, isWhole: boolean): Promise<void> => {
    if (isTooLong || (heldBytes === 0 && part[0] !== brace)) {
      isTooLong = !isWhole
      await pour(part)
      return
    }
    held.push(Buffer.from(part))
    heldBytes += part.length
    if (heldBytes > longestLine) {
      isTooLong = !isWhole
      await pour(takeHeld())
    } else if (isWhole) await showLine(takeHeld())
  }
  return {
    write: async (bytes) => {
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      for (let from = 0; from < chunk.length; ) {
        const end = chunk.indexOf(newline, from)
        const next = end === -1 ? chunk.length : end + 1
        await takeLine(chunk.subarray(from, next), end !== -1)
        from = next
      }
    },
    end: async () => {
      if (heldBytes > 0) await showLine(takeHeld())
      if (isMidMessage) put('')
      isTooLong = false
    },
    takeMidLine: () => {
      const was = isMidLine
      isMidLine = false
      isMidMessage = false
      return was
    },
  }
}

function added(total: Usage, step: Usage): Usage {
  const names = ['input', 'cached', 'output', 'dollars'] as const
  const sums = names.flatMap((name) =>
    total[name] === undefined && step[name] === undefined
      ? []
      : [[name, (total[name] ?? 0) + (step[name] ?? 0)]],
  )
  return Object.fromEntries(sums)
}
