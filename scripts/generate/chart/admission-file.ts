import type { AdmissionPolicy } from '@agents/crd'
import { stringify } from 'yaml'

/**
 * files/admission-policies.yaml: the policies that the chart renders, and agentctl installs into the local platform.
 */
export function admissionFile(policies: readonly AdmissionPolicy[]): string {
  const comment =
    '# Written by "npm run generate" from the declarations in services/*/api/src/admission. Edit those instead.\n'
  return comment + stringify(policies, { lineWidth: 0, aliasDuplicateObjects: false })
}
