import { createMarkdownTranscript } from '@agents/agent-events'
import type { RunResult } from '../../run-contract/run-result.ts'
import type { SecretMask } from '../../run-contract/secrets/secret-mask.ts'
import type { Usage } from '../../run-contract/usage.ts'
import { taskText } from '../cli/task-text.ts'
import type { Assignment } from '../load-assignment.ts'
import { openNamelessFile } from './nameless-file.ts'

/** What the agent did, for people, for the upload at the end. */
export interface KeptTranscript {
  /** Takes more of the program's output, with secrets masked. */
  output(stream: 'stdout' | 'stderr', text: string): void
  /** Ends it with a masked result. Returns the file; undefined if it could not be written whole. */
  end(result: RunResult): number | undefined
  close(): void
}

/** Opens a transcript in a folder. */
export function openTranscript(
  folder: string,
  { run, runner, command }: Pick<Assignment, 'run' | 'runner' | 'command'>,
  mask: SecretMask,
  startedAt: Date,
): KeptTranscript {
  const file = openNamelessFile(folder)
  const { name, namespace } = run.agentRun
  const transcript = createMarkdownTranscript({
    run: name,
    task: taskText(run.implementation),
    facts: [
      `Namespace: ${namespace}`,
      `Provider: ${runner.provider}`,
      `Program: ${command.binary}`,
      `Started: ${startedAt.toISOString()}`,
    ],
    mask: (text) => mask(text),
    write: (markdown) => file.append(Buffer.from(markdown)),
  })
  return {
    output: transcript.output,
    end: (result) => {
      transcript.end(factsOf(result))
      return file.descriptor()
    },
    close: file.close,
  }
}

/** How the run ended, what it changed, and what it cost. */
function factsOf({ reason, message, finishedAt, exitCode, vcs, usage, warnings }: RunResult) {
  const { pushed, headBranch, commit, pullRequest } = vcs ?? {}
  return [
    `Outcome: ${reason}, exit code ${exitCode}`,
    `Message: ${message}`,
    `Finished: ${finishedAt}`,
    ...(vcs === undefined ? [] : [`Repository: ${vcs.repository}`]),
    ...(pushed === true ? [`Pushed: ${headBranch} at ${commit}`] : []),
    ...changesOf(vcs),
    ...(pullRequest?.url === undefined ? [] : [`Pull request: ${pullRequest.url}`]),
    ...(usage === undefined ? [] : [`Usage: ${usageOf(usage)}`]),
    ...(warnings ?? []).map((warning) => `Warning: ${warning}`),
  ]
}

function changesOf(vcs: RunResult['vcs']): string[] {
  const { filesChanged, insertions, deletions } = vcs ?? {}
  if (filesChanged === undefined) return []
  return [`Changes: ${filesChanged} files, ${insertions} insertions, ${deletions} deletions`]
}

function usageOf({ inputTokens, cachedInputTokens, outputTokens, dollars }: Usage): string {
  return [
    ...(inputTokens === undefined ? [] : [`${inputTokens} tokens in`]),
    ...(cachedInputTokens === undefined ? [] : [`${cachedInputTokens} of them cached`]),
    ...(outputTokens === undefined ? [] : [`${outputTokens} tokens out`]),
    ...(dollars === undefined ? [] : [`$${dollars}`]),
  ].join(', ')
}
