import type { DocumentDigests } from '../../../../run-contract/document-digests.ts'
import type { ContentDigests } from '../resolve/content-digests.ts'
import type { ResolvedWork } from '../resolve/resolution.ts'
import { mountedSkills } from '../resolve/skills.ts'
import { systemPromptFile } from './system-prompt-path.ts'

/** A volume of the pod with files of a ConfigMap that the run or its agent names. */
export interface MappedVolume {
  readonly volume: string
  readonly configMap: string
  /** The key that is mounted, under the name of a file. If omitted, all keys under their own names. */
  readonly item?: { readonly key: string; readonly path: string }
}

/** Such a volume with what its files have to contain. */
export interface VerifiedVolume extends MappedVolume {
  /** By the name of the file. */
  readonly digests: DocumentDigests
}

export const systemPromptVolume = 'agents-system-prompt'

export function skillVolume(index: number): string {
  return `agents-skill-${index}`
}

/** The system prompt and the skills, as far as they are in ConfigMaps. */
function mappedVolumes({
  agent,
  provider,
  systemPrompt,
}: Pick<ResolvedWork, 'agent' | 'provider' | 'systemPrompt'>): MappedVolume[] {
  const skills = mountedSkills(agent, provider).map(({ configMap }, index) => ({
    volume: skillVolume(index),
    configMap,
  }))
  if (systemPrompt?.kind !== 'ConfigMap') return skills
  const { name, key } = systemPrompt
  const item = { key, path: systemPromptFile }
  return [...skills, { volume: systemPromptVolume, configMap: name, item }]
}

/** Undefined while a ConfigMap or a key of it does not exist. */
export async function verifiedVolumes(
  work: ResolvedWork,
  digestsOf: ContentDigests,
  signal: AbortSignal,
): Promise<readonly VerifiedVolume[] | undefined> {
  const { namespace } = work.agent.metadata
  const verified: VerifiedVolume[] = []
  for (const mapped of mappedVolumes(work)) {
    const all = await digestsOf({ namespace, name: mapped.configMap }, signal)
    const digests = all && selected(all, mapped)
    if (digests === undefined) return undefined
    verified.push({ ...mapped, digests })
  }
  return verified
}

function selected(all: DocumentDigests, { item }: MappedVolume): DocumentDigests | undefined {
  if (item === undefined) return all
  const digest = all[item.key]
  return digest === undefined ? undefined : { [item.path]: digest }
}
