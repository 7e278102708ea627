import { optional, type ReadBy, record, someText, text } from '../reader/reader.ts'

/** An artifact and its location, with the same fields as in an AgentProvider and in a run's status. */
export const artifact = record({
  name: someText,
  path: optional(text),
  key: optional(text),
  url: optional(text),
})

export type Artifact = ReadBy<typeof artifact>
