import {
  anything,
  listOf,
  mapOf,
  optional,
  type ReadBy,
  readJsonDocument,
  record,
  someText,
  text,
} from '../reader/reader.ts'
import { artifact } from './artifact.ts'
import { vcsContext } from './vcs-context.ts'

/** `run.json`: what is to be done, as the controller has resolved it. */
const runSpec = record({
  provider: someText,
  agentRun: record({ name: someText, namespace: someText, uid: optional(text) }),
  agent: optional(
    record({ name: someText, config: optional(mapOf(anything)), env: optional(anything) }),
  ),
  implementation: record({
    text,
    summary: optional(text),
    description: optional(text),
    acceptanceCriteria: optional(listOf(text)),
    labels: optional(listOf(text)),
  }),
  parameters: optional(mapOf(text)),
  memory: optional(record({ type: someText, connectionRef: optional(anything) })),
  artifacts: optional(listOf(artifact)),
  vcs: optional(vcsContext),
  /** Standing instructions, written out. Those of a Secret or ConfigMap are mounted, and named by systemPromptPath. */
  systemPrompt: optional(text),
  systemPromptPath: optional(text),
  prompt: optional(text),
  repository: optional(text),
  issueNumber: optional(text),
  issueTitle: optional(text),
  issueBody: optional(text),
  issueUrl: optional(text),
  base: optional(text),
  head: optional(text),
  stage: optional(text),
  metadata: optional(record({ map: optional(mapOf(text)) })),
})

export type RunSpec = ReadBy<typeof runSpec>

export function parseRunSpec(document: string) {
  return readJsonDocument(runSpec, document)
}
