import { stringifyJson } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { Caller } from '../../api/access/caller.ts'
import { ApiError, apiErrorOf } from '../../api/api-error.ts'
import { checkBody } from '../check-body.ts'
import { namespaceIn } from '../namespace-in.ts'
import type { Answer } from '../route.ts'
import { tools } from './all-tools.ts'
import { type InvokePorts, invoke, withAuditEntry } from './invoke.ts'
import type { RouteCall, Tool } from './tools.ts'
import type { MemoryPorts } from './use-memory.ts'

/** What tools need. */
export interface ToolPorts extends MemoryPorts, InvokePorts {
  readonly log: Logger
}

interface ToolResult {
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly isError?: boolean
  readonly [more: string]: unknown
}

interface ToolCall {
  readonly name: string
  readonly arguments?: Readonly<Record<string, unknown>> | undefined
}

/** More would fill the context of a model. */
const largestText = 128 * 1024

/** Does what a tool does, as the caller. What is refused becomes a result that a model can read. */
export async function callTool(
  ports: ToolPorts,
  caller: Caller,
  { name, arguments: given = {} }: ToolCall,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { log, callerClient, mayDo } = ports
  try {
    const tool = tools.find((each) => each.name === name)
    if (tool === undefined) throw new ApiError('NotFound', `there is no tool ${name.slice(0, 100)}`)
    checkBody(given, tool.input)
    if ('perform' in tool) {
      const call = (request: RouteCall, until: AbortSignal) => invoke(ports, caller, request, until)
      const context = { caller, callerClient, mayDo, call, signal }
      const act = { action: name, isChange: !tool.isReadOnly, namespace: namespaceIn(given) }
      const perform = async () => ({ json: await tool.perform(context, given) })
      return textResult(await textOf(await withAuditEntry(ports, caller, act, perform)))
    }
    const answer = await invoke(ports, caller, tool.request(given), signal)
    return textResult(await textOf(answer, tool))
  } catch (error) {
    const failure = apiErrorOf(error)
    if (failure.code === 'Internal') log.error('tool failed', { tool: name, error })
    const text = `${failure.code}: ${failure.message}`
    return { ...textResult(text), isError: true }
  }
}

function textResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }] }
}

export async function textOf(
  answer: Answer,
  { pick = (all: unknown) => all }: Pick<Tool, 'pick'> = {},
): Promise<string> {
  if ('json' in answer) return limited(stringifyJson(pick(answer.json)))
  if ('text' in answer) return limited(answer.text)
  if ('bytes' in answer) return limited(Buffer.from(answer.bytes).toString('utf8'))
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of answer.chunks) {
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    // The end of an output says more than its beginning.
    if (text.length > 2 * largestText) text = text.slice(-largestText)
  }
  return text.slice(-largestText)
}

function limited(text: string): string {
  if (text.length <= largestText) return text
  throw new ApiError('TooLarge', 'the answer is too large; ask for less, such as a smaller limit')
}
