import { stringify } from 'yaml'
import { parseRecipients } from './age-key.ts'
import { SECRET_VALUES } from './encrypt-document.ts'

export interface SopsConfigOptions {
  readonly recipients: readonly string[]
  /** Which files the rule is for; without it every YAML file. */
  readonly pathRegex?: string
  readonly encryptedRegex?: string
}

/** A `.sops.yaml` with which people encrypt by hand what we encrypt by ourselves. Equal recipients give equal bytes. */
export const sopsConfigFile = ({
  recipients,
  pathRegex = '\\.ya?ml$',
  encryptedRegex = SECRET_VALUES,
}: SopsConfigOptions): string =>
  stringify(
    {
      creation_rules: [
        {
          path_regex: pathRegex,
          encrypted_regex: encryptedRegex,
          age: parseRecipients(recipients).join(','),
        },
      ],
    },
    { lineWidth: 0 },
  )
