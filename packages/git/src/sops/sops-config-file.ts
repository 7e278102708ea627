import { stringify } from 'yaml'
import { sortedRecipients } from './age-key.ts'
import { secretValues } from './encrypt-document.ts'

interface SopsConfigOptions {
  readonly recipients: readonly string[]
  /** Which files the rule is for; without it every YAML file. */
  readonly pathRegex?: string
  readonly encryptedRegex?: string
}

/**
 * A `.sops.yaml` for encrypting by hand in the same way. Takes recipients that are checked; equal ones give equal
 * bytes.
 */
export function sopsConfigFile({
  recipients,
  pathRegex = '\\.ya?ml$',
  encryptedRegex = secretValues,
}: SopsConfigOptions): string {
  return stringify(
    {
      creation_rules: [
        {
          path_regex: pathRegex,
          encrypted_regex: encryptedRegex,
          age: sortedRecipients(recipients).join(','),
        },
      ],
    },
    { lineWidth: 0 },
  )
}
