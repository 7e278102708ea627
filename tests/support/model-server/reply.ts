/** Tokens of one response. */
export interface ReplyUsage {
  /** Everything that the model read, what came out of a cache included. */
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly outputTokens: number
}

interface FunctionCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** A call of a tool that takes text, which only the Responses API knows. */
interface CustomCall {
  readonly name: string
  readonly input: string
}

export type ToolCall = FunctionCall | CustomCall

/** The arguments of a call, for APIs without custom tools. */
export function argumentsOf(call: ToolCall): Readonly<Record<string, unknown>> {
  return 'input' in call ? { input: call.input } : call.arguments
}

/** What the model says. */
export interface Message {
  readonly text?: string
  readonly calls?: readonly ToolCall[]
  readonly usage: ReplyUsage
  /** Pause before each event of a stream. */
  readonly pauseMs?: number
  /** Closes the connection after so many events of the stream. */
  readonly cutAfterEvents?: number
}

/** An error of the service. */
export interface ServiceError {
  readonly status: number
  readonly message: string
  readonly retryAfterSeconds?: number
}

export type Reply = Message | ServiceError

export function isError(reply: Reply): reply is ServiceError {
  return 'status' in reply
}

/** One event of a stream of server-sent events. */
export interface StreamEvent {
  readonly event?: string
  readonly data: unknown
}

/** How one API of a model service words requests, messages and errors. */
export interface ModelApi {
  readonly name: 'responses' | 'chat-completions' | 'messages' | 'gemini'
  /** Whether a path is the one at which models are asked. */
  matches(path: string): boolean
  isStream(body: Readonly<Record<string, unknown>>, url: URL): boolean
  whole(message: Message, id: string, model: string): unknown
  stream(message: Message, id: string, model: string): readonly StreamEvent[]
  /** What ends a stream, written as it is. */
  readonly streamEnd?: string
  error(error: ServiceError): unknown
}
