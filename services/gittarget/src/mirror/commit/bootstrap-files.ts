import { type FileChange, type KnowingChange, sopsConfigFile } from '@agents/git'
import { parse } from 'yaml'
import { isMap } from '../../document/json.ts'

export const readmeName = 'README.md'
export const sopsConfigName = '.sops.yaml'

/** The files that the mirror adds to the folder, by name. Files that a person has edited are not changed. */
export function bootstrapFiles(
  target: string,
  recipients: readonly string[] | undefined,
): Map<string, FileChange> {
  const files = new Map<string, FileChange>()
  const text = Buffer.from(readme(target, recipients !== undefined))
  files.set(readmeName, unlessEdited(text, isGeneratedReadme))
  if (recipients !== undefined) {
    const wanted = Buffer.from(sopsConfigFile({ recipients }))
    files.set(sopsConfigName, unlessEdited(wanted, isGeneratedConfig))
  }
  return files
}

function unlessEdited(wanted: Buffer, isGenerated: (text: string) => boolean): KnowingChange {
  return {
    knows: () => false,
    fromKnown: () => undefined,
    from: (current) =>
      current === undefined || isGenerated(current.toString('utf8')) ? wanted : current,
    // Only a person writes a file that large.
    acceptsLarge: () => true,
  }
}

/** A generated config has a single rule with only the recipients. */
function isGeneratedConfig(text: string): boolean {
  try {
    const config: unknown = parse(text, { maxAliasCount: 0 })
    if (!isMap(config) || Object.keys(config).join() !== 'creation_rules') return false
    const [rule, ...others] = Array.isArray(config.creation_rules) ? config.creation_rules : []
    return (
      others.length === 0 &&
      isMap(rule) &&
      Object.keys(rule).join() === 'path_regex,encrypted_regex,age'
    )
  } catch {
    return false
  }
}

/** Whether a target generated this text: also a target of another name, or with another encryption setting. */
function isGeneratedReadme(text: string): boolean {
  const target = /^The GitTarget `([^`]*)`/m.exec(text)?.[1]
  return target !== undefined && [true, false].some((encrypts) => text === readme(target, encrypts))
}

function readme(target: string, encrypts: boolean): string {
  return `# Mirror of a cluster

The GitTarget \`${target}\` keeps this folder in step with the cluster, as its rules choose.

- One object is one file: \`namespace/group/resource/name.yaml\`; \`_cluster\` holds what has no namespace, \`core\` the core group.
- A manifest may be moved within this folder and commented: it is edited where it is. The cluster decides what it says.
- Files that describe no mirrored object are left alone.
${
  encrypts
    ? '- Values of Secrets are encrypted with SOPS and age: `sops --decrypt` shows them to who has a key.\n'
    : '- Secrets are not mirrored: the target has no encryption.\n'
}`
}
