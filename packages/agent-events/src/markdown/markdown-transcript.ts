import type { AgentEvent, PlanStep } from '../events/agent-event.ts'
import { readAgentEvents } from '../events/read-agent-events.ts'
import { indented, markdownBlock } from './markdown-block.ts'

/** The output of an agent as a Markdown document for people, written while the agent works. */
interface MarkdownTranscript {
  /** Takes more of the output, with secrets masked. */
  output(stream: 'stdout' | 'stderr', text: string): void
  /** Ends with facts about the run, each a line. Written whatever the length of the rest. */
  end(facts: readonly string[]): void
}

interface MarkdownOptions {
  readonly run: string
  /** What the agent was asked for. */
  readonly task: string
  /** Facts about the run, each a line. */
  readonly facts: readonly string[]
  /** Masks secrets. The texts of events may spell them in another way than the output. */
  mask(text: string): string
  write(markdown: string): void
  /** In characters, without the end. If omitted, 8 Mi. */
  readonly longest?: number
}

/** A longer line of JSON is shown as it is, so that no agent can fill the memory. */
const longestLine = 1024 * 1024
/** Of the texts of one event, in characters. */
const limits = {
  message: 65_536,
  thought: 16_384,
  tool: 8192,
  result: 16_384,
  error: 8192,
} as const
const largestDocument = 8 * 1024 * 1024
const cutNotice = '\n### The transcript is longer\n\nThe rest is in the log of the run.\n'

export function createMarkdownTranscript(options: MarkdownOptions): MarkdownTranscript {
  const { run, task, facts, mask, longest = largestDocument } = options
  let room = longest
  let heading = ''
  /** A message that the next event may continue. Masked as a whole: a secret may be in two parts of it. */
  let partial = ''
  /** CLIs repeat an error when they give up because of it. */
  let lastError = ''

  const put = (text: string): void => {
    if (room <= 0) return
    room -= text.length
    options.write(room > 0 ? text : `${text.slice(0, text.length + room)}\n${cutNotice}`)
  }
  const block = (name: string, text: string, most: number): void => {
    heading = ''
    if (text.trim() !== '') put(markdownBlock(name, mask(text), most))
  }
  const endMessage = (): void => {
    const text = partial
    partial = ''
    if (text !== '') block('Agent', text, limits.message)
  }
  const show = (event: AgentEvent): void => {
    if (event.is === 'message' && event.partial === true) {
      if (partial.length <= limits.message) partial += event.text
      return
    }
    endMessage()
    const isRepeated = event.is === 'error' && event.text === lastError
    lastError = event.is === 'error' ? event.text : ''
    if (isRepeated) return
    const shown = sectionOf(event)
    if (shown !== undefined) block(...shown)
  }
  const plain = (line: string): void => {
    endMessage()
    const text = indented(line, limits.result)
    // Lines that follow each other are one block.
    put(heading === 'Output' ? text : `\n### Output\n\n${text}`)
    heading = 'Output'
  }
  const streams = { stdout: lineReader(), stderr: lineReader() }
  function lineReader() {
    let held = ''
    return {
      take(text: string): void {
        const lines = `${held}${text}`.split('\n')
        held = lines.pop() ?? ''
        for (const line of lines) showLine(line)
        if (held.length > longestLine) this.flush()
      },
      flush(): void {
        if (held !== '') showLine(held)
        held = ''
      },
    }
  }
  function showLine(line: string): void {
    const events = line.startsWith('{') ? readAgentEvents(line) : undefined
    if (events === undefined) plain(line)
    else for (const event of events) show(event)
  }

  options.write(
    [
      `# Run ${run}\n\n${lines(facts, mask)}`,
      `\n## Task\n\n${indented(mask(task), limits.message)}`,
      '\n## Work\n',
    ].join(''),
  )
  return {
    output: (stream, text) => {
      if (room > 0) streams[stream].take(text)
    },
    end: (last) => {
      for (const stream of Object.values(streams)) stream.flush()
      endMessage()
      options.write(`\n## End\n\n${lines(last, mask)}`)
    },
  }
}

function lines(facts: readonly string[], mask: (text: string) => string): string {
  return indented(facts.map(mask).join('\n'), limits.message)
}

function sectionOf(event: AgentEvent): [string, string, number] | undefined {
  switch (event.is) {
    case 'message':
      return ['Agent', event.text, limits.message]
    case 'thought':
      return ['Thought', event.text, limits.thought]
    case 'tool':
      return ['Tool', `${event.name} ${event.detail}`.trimEnd(), limits.tool]
    case 'result':
      return [event.ok ? 'Result' : 'Failed', event.text, limits.result]
    case 'change':
      return ['Change', `${event.how} ${event.path}`, limits.tool]
    case 'plan':
      return ['Plan', event.steps.map(planLine).join('\n'), limits.tool]
    case 'error':
      return ['Error', event.text, limits.error]
    case 'usage':
      // The end has the sum.
      return undefined
  }
}

function planLine({ text, done }: PlanStep): string {
  return `[${done ? 'x' : ' '}] ${text}`
}
