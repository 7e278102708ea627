import type { AgentEvent, PlanStep, Usage } from '@agents/agent-events'
import type { Style } from '../cli/style.ts'

const longestDetail = 160
const mostResultLines = 6
const mostThoughtLines = 6
const longestResultLine = 200

/** An event as text for a person, without the last line feed. Empty if there is nothing to show. */
export function renderEvent(event: AgentEvent, style: Style): string {
  switch (event.is) {
    case 'message':
      return event.partial === true ? event.text : event.text.trim()
    case 'thought':
      return indented(event.text, mostThoughtLines, style.dim)
    case 'tool':
      return `${style.bold(`> ${oneLine(event.name)}`)} ${oneLine(event.detail)}`.trimEnd()
    case 'result':
      return indented(event.text, mostResultLines, event.ok ? style.dim : style.bad)
    case 'change':
      return `${style.bold(`> ${oneLine(event.how)}`)} ${oneLine(event.path)}`
    case 'plan':
      return event.steps.map(planLine).join('\n')
    case 'usage':
      return style.dim(usageText(event.usage))
    case 'error':
      return `${style.bad('error:')} ${event.text.trim()}`
  }
}

function planLine({ text, done }: PlanStep): string {
  return `  [${done ? 'x' : ' '}] ${oneLine(text)}`
}

function usageText({ input, cached, output, dollars }: Usage): string {
  const facts = [
    ...(input === undefined ? [] : [`${grouped(input)} tokens in`]),
    ...(cached === undefined ? [] : [`${grouped(cached)} of them cached`]),
    ...(output === undefined ? [] : [`${grouped(output)} tokens out`]),
    ...(dollars === undefined ? [] : [`$${dollars.toFixed(4)}`]),
  ]
  return `so far: ${facts.join(', ')}`
}

function grouped(count: number): string {
  return count.toLocaleString('en-US')
}

/** Without an expression that searches from each of a million blanks to the last one. */
function oneLine(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return shortened(lines.join(' ⏎ '), longestDetail)
}

/** The first lines, indented, and how many more there are. */
function indented(text: string, most: number, paint: (line: string) => string): string {
  const lines = text
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const more = lines.length - most
  // One more line takes no more room than saying so.
  const shown = more > 1 ? lines.slice(0, most) : lines
  const rest = more > 1 ? [`… ${grouped(more)} more lines`] : []
  return [...shown, ...rest]
    .map((line) => paint(`    ${shortened(line, longestResultLine)}`))
    .join('\n')
}

function shortened(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text
}
