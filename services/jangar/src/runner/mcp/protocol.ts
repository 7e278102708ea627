/** What the runner tells a bridge about its server. Never written to a file: it holds values of Secrets. */
export type McpLaunch = (
  | {
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
      readonly cwd: string
    }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> }
) & {
  /** If omitted, all tools are shown. */
  readonly tools?: readonly string[]
}

/** What a bridge tells the runner about its server, one JSON object a line. */
export interface McpReport {
  /** The server has responded to a request. */
  readonly answered?: true
  /** A line of its standard error, or the failure of a request. */
  readonly words?: string
  /** How it ended by itself, such as `exit code 1`. */
  readonly ended?: string
}
