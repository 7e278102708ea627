import { type FileChange, sopsConfigFile } from '@agents/git'
import { parse } from 'yaml'
import { isMap } from '../document/json.ts'

export const README = 'README.md'
export const SOPS_CONFIG = '.sops.yaml'

/** The files that the folder needs beside the manifests, by name. What a person made of them is left alone. */
export const bootstrapFiles = (
  target: string,
  recipients: readonly string[] | undefined,
): Map<string, FileChange> => {
  const files = new Map<string, FileChange>()
  const text = Buffer.from(readme(target, recipients !== undefined))
  files.set(README, (current) =>
    current === undefined || isOurReadme(current.toString('utf8')) ? text : current,
  )
  if (recipients !== undefined) {
    const wanted = sopsConfigFile({ recipients })
    files.set(SOPS_CONFIG, (current) =>
      current === undefined || isOurConfig(current.toString('utf8'))
        ? Buffer.from(wanted)
        : current,
    )
  }
  return files
}

/** Ours has one rule that says nothing but for whom everything is encrypted. */
const isOurConfig = (text: string): boolean => {
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

/** Word for word what some target makes of it: it may belong to another one now, or have got encryption since. */
const isOurReadme = (text: string): boolean => {
  const target = /^The GitTarget `([^`]*)`/m.exec(text)?.[1]
  return target !== undefined && [true, false].some((encrypts) => text === readme(target, encrypts))
}

const readme = (target: string, encrypts: boolean): string => `# Mirror of a cluster

The GitTarget \`${target}\` keeps this folder in step with the cluster, as its rules choose.

- One object is one file: \`namespace/group/resource/name.yaml\`; \`_cluster\` holds what has no namespace, \`core\` the core group.
- A manifest may be moved within this folder and commented: it is edited where it is. The cluster decides what it says.
- Files that describe no mirrored object are left alone.
${
  encrypts
    ? '- Values of Secrets are encrypted with SOPS and age: `sops --decrypt` shows them to who has a key.\n'
    : '- Secrets are not mirrored: the target has no encryption.\n'
}`
