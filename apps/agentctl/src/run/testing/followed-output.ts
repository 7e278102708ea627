import { createStyle } from '../../cli/style.ts'
import { renderText } from '../../cli/terminal-text.ts'
import { createTranscript } from '../../transcript/transcript.ts'
import { splitOutput } from '../runner-line.ts'

/** What `agentctl run` does with the output of a pod, and how much text came out. */
export function follow(onText: (text: string) => void = () => undefined) {
  let bytes = 0
  const notes: string[] = []
  const transcript = createTranscript({
    write: (text) => {
      bytes += text.length
      onText(renderText(text))
    },
    pour: async (output) => {
      bytes += output.length
      if (output.length > 0) onText(Buffer.from(output).toString('utf8'))
    },
    style: createStyle(false),
  })
  const split = splitOutput('demo', {
    agent: transcript.write,
    runner: ({ message }) => void notes.push(message),
  })
  const end = async () => {
    await split.end()
    await transcript.end()
  }
  return { write: split.write, end, notes, bytes: () => bytes }
}

/** A line of an agent CLI. */
export function event(value: object): string {
  return `${JSON.stringify(value)}\n`
}
