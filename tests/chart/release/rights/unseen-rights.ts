import type { Right } from './granted-rights.ts'

/** A permission that no audited request uses although the API server requires it, and why. */
interface UnseenRight {
  readonly right: RegExp
  readonly because: string
}

/** Each entry must be granted to an account and used by none: one that is used after all does not belong here. */
export const unseenRights: readonly UnseenRight[] = [
  {
    right:
      /^update (agentruns\.agents|versioncontrolproviders\.agents|schedules\.schedules|toolruns\.tools|orchestrationruns\.orchestration|workspaces\.workspaces)\.proompteng\.ai\/finalizers$/,
    because:
      'The admission plugin OwnerReferencesPermissionEnforcement asks for it when an object with that owner is created. It is on here: without the right that creation is refused.',
  },
  {
    right: /^get (agentruns\.agents|toolruns\.tools|approvalrequests\.approvals)\.proompteng\.ai$/,
    because:
      'What another leader has created for a schedule, a step or a run is read to see whose it is. There is one leader here.',
  },
  {
    right: /^create customresourcedefinitions\.apiextensions\.k8s\.io named /,
    because:
      'A server-side apply that creates is noted as a patch; the API server asks for create as well.',
  },
]

export function isUnseen(right: Right): boolean {
  return unseenRights.some((one) => one.right.test(right))
}
