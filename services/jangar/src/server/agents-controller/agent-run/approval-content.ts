import type { AgentRun } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import type { ApprovalContent } from '../../approvals/approval-content.ts'
import type { CoreCaches } from '../../caches/core-caches.ts'
import type { ResolvedWork } from './resolve/resolution.ts'
import { mountedSkills } from './resolve/skills.ts'

/** What an AgentRun would execute: one work, or one for each step of its workflow. */
export function agentRunContent(
  run: AgentRun,
  works: readonly ResolvedWork[],
  configMaps: Pick<CoreCaches['configMaps'], 'get'>,
): ApprovalContent {
  const { namespace } = run.metadata
  // Caches have no contents of ConfigMaps. Any change of one changes its version.
  const versionOf = (name: string) => {
    const { uid, resourceVersion } = configMaps.get(formatKey({ namespace, name }))?.metadata ?? {}
    return { name, uid, resourceVersion }
  }
  return {
    digested: {
      works: works.map((work) => ({
        ...digestedWork(work),
        configMaps: configMapsOf(work).map(versionOf),
      })),
      runtime: run.spec.runtime,
    },
    summary: works.flatMap((work, at) => summaryOf(run, work, works.length > 1 ? at : undefined)),
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
        requireChanges: vcs.requireChanges,
      },
    }),
  }
}

function namedSpec({ metadata, spec }: { metadata: { name: string }; spec: object }): object {
  return { name: metadata.name, spec }
}

function configMapsOf({ agent, provider, systemPrompt }: ResolvedWork): string[] {
  const skills = mountedSkills(agent, provider).map(({ configMap }) => configMap)
  return systemPrompt?.kind === 'ConfigMap' ? [...skills, systemPrompt.name] : skills
}

function summaryOf(
  run: AgentRun,
  work: ResolvedWork,
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
    ['Task', implementation?.summary],
    ['Prompt', implementation?.text],
  ]
}

function systemPromptText(prompt: ResolvedWork['systemPrompt']): string | undefined {
  if (prompt === undefined) return undefined
  return prompt.kind === 'inline' ? prompt.text : `${prompt.kind} ${prompt.name}, key ${prompt.key}`
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
