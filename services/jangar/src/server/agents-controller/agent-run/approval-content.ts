import type { AgentRun } from '@agents/jangar-api'
import type { ApprovalContent } from '../../approvals/approval-content.ts'
import type { ResolvedWork } from './resolve/resolution.ts'
import type { VerifiedVolume } from './workload/mapped-volumes.ts'

/** A work, and what the files of ConfigMaps that its pod gets have to contain. */
export interface VerifiedWork {
  readonly work: ResolvedWork
  readonly verified: readonly VerifiedVolume[]
}

/** What an AgentRun would execute: one work, or one for each step of its workflow. */
export function agentRunContent(run: AgentRun, works: readonly VerifiedWork[]): ApprovalContent {
  return {
    digested: {
      works: works.map(({ work, verified }) => ({ ...digestedWork(work), configMaps: verified })),
      runtime: run.spec.runtime,
    },
    summary: works.flatMap((one, at) => summaryOf(run, one, works.length > 1 ? at : undefined)),
  }
}

function digestedWork(work: ResolvedWork): object {
  const { agent, provider, memory, vcs, notes: _notes, contract: _contract, ...rest } = work
  return {
    ...rest,
    agent: namedSpec(agent),
    provider: namedSpec(provider),
    ...(memory && { memory: namedSpec(memory) }),
    ...(vcs && {
      vcs: {
        context: vcs.context,
        auth: vcs.auth,
        branchPolicy: vcs.branchPolicy,
        pushPolicy: vcs.pushPolicy,
        requireChanges: vcs.requireChanges,
      },
    }),
  }
}

function namedSpec({ metadata, spec }: { metadata: { name: string }; spec: object }): object {
  return { name: metadata.name, spec }
}

function summaryOf(
  run: AgentRun,
  { work, verified }: VerifiedWork,
  step: number | undefined,
): ApprovalContent['summary'] {
  const { agent, provider, implementation, vcs, image, serviceAccount, systemPrompt } = work
  const { binary, argsTemplate = [] } = provider.spec
  const secrets = [
    ...work.secrets.map(({ name }) => name),
    ...(work.secretVariables ?? []).map(({ secret }) => secret),
    ...(work.workload.volumes ?? []).flatMap(({ secretName }) => secretName ?? []),
  ]
  const { repository, baseBranch, headBranch, mode } = vcs?.context ?? {}
  return [
    ...(step === undefined
      ? []
      : [['Step', `${step + 1}: ${run.spec.workflow?.steps[step]?.name}`] as const]),
    ['Agent', `${agent.metadata.name} (AgentProvider ${provider.metadata.name})`],
    ['Program', JSON.stringify([binary, ...argsTemplate])],
    ['Image', image],
    ['Repository', repository && `${repository}, ${mode}`],
    [
      'Branches',
      repository && `from ${baseBranch ?? 'the default branch'} to ${headBranch ?? 'none'}`,
    ],
    ['Service account', serviceAccount],
    ['Secrets', [...new Set(secrets)].toSorted().join(', ')],
    ['Parameters', listed(work.parameters)],
    ['System prompt', systemPromptText(systemPrompt)],
    ['Skills', skillsText(work)],
    ['ConfigMaps', verified.map(configMapText).join('\n')],
    ['Task', implementation?.summary],
    ['Prompt', implementation?.text],
  ]
}

function systemPromptText(prompt: ResolvedWork['systemPrompt']): string | undefined {
  if (prompt === undefined) return undefined
  return prompt.kind === 'inline' ? prompt.text : `${prompt.kind} ${prompt.name}, key ${prompt.key}`
}

/** What an approver can compare with `kubectl get configmap`. */
function configMapText({ configMap, item, digests }: VerifiedVolume): string {
  const files = Object.entries(digests).map(
    ([name, digest]) => `${item?.key ?? name} (SHA-256 ${digest})`,
  )
  return `${configMap}: ${files.join(', ')}`
}

/** Where skills come from that an approval does not cover with their content. */
function skillsText({ gitSkills }: ResolvedWork): string | undefined {
  return gitSkills?.skills
    .map(({ name, url, ref, path = '' }) => `${name}: ${path} of ${url} at ${ref}`)
    .join(', ')
}

function listed(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .toSorted()
    .join(', ')
}
