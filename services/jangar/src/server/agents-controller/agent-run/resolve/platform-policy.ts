import { imageForms, readImage } from '../../../primitives-policy/image-reference.ts'
import { priorityProblem } from '../../../primitives-policy/priority-classes.ts'
import { firstMatch } from '../../../primitives-policy/wildcard.ts'
import type { AgentsPorts } from '../../ports.ts'
import { refused } from './problem.ts'
import type { Refused, Workload } from './resolution.ts'
import type { RuntimeSettings } from './runtime-settings.ts'

type Rules = AgentsPorts['config']['agents']['admission']

/** Checks the labels of a run against those that the platform requires, allows and denies. */
export function labelProblem(
  labels: Readonly<Record<string, string>>,
  { labelsRequired, labelsDenied, labelsAllowed }: Rules,
): Refused | undefined {
  const keys = Object.keys(labels)
  const missing = labelsRequired.filter((key) => !keys.includes(key))
  if (missing.length > 0) {
    return refused(
      'MissingRequiredLabels',
      `the platform requires the labels ${missing.join(', ')}; create the run again with them`,
    )
  }
  for (const key of keys) {
    const pattern = firstMatch(labelsDenied, key)
    if (pattern === undefined) continue
    return refused(
      'LabelBlocked',
      `the platform blocks the label ${key} (pattern ${pattern}); create the run again without it`,
    )
  }
  const alien = keys.find((key) => firstMatch(labelsAllowed, key) === undefined)
  if (labelsAllowed.length === 0 || alien === undefined) return undefined
  return refused(
    'LabelNotAllowed',
    `the platform does not allow the label ${alien}, only ${labelsAllowed.join(', ')}; create the run again without it`,
  )
}

/** Checks the image against the platform's policy, in every spelling of its name. Deny takes precedence over allow. */
export function imageProblem(
  image: string,
  { imagesDenied, imagesAllowed }: Rules,
): Refused | undefined {
  if (imagesDenied.length === 0 && imagesAllowed.length === 0) return undefined
  const reference = readImage(image)
  if (reference === undefined) {
    return refused('ImageNotAllowed', `${image} is not a valid image reference`)
  }
  const forms = imageForms(reference)
  const denied = imagesDenied.find((pattern) =>
    forms.some(({ text }) => firstMatch([pattern.toLowerCase()], text.toLowerCase())),
  )
  if (denied !== undefined) {
    return refused(
      'ImageBlocked',
      `the platform blocks the image ${image} (pattern ${denied}); set workload.image to another one`,
    )
  }
  const isAllowed = forms.some(
    ({ isExact, text }) => isExact && firstMatch(imagesAllowed, text) !== undefined,
  )
  if (imagesAllowed.length === 0 || isAllowed) return undefined
  return refused(
    'ImageNotAllowed',
    `the platform does not allow the image ${image}, only ${imagesAllowed.join(', ')}; set workload.image to one of them`,
  )
}

export function priorityClassProblem(
  { priorityClassName }: RuntimeSettings,
  { agents, runner }: AgentsPorts['config'],
): Refused | undefined {
  const problem = priorityProblem(priorityClassName, {
    allowed: agents.admission.priorityClassesAllowed,
    platformDefault: runner.priorityClass,
  })
  return problem && refused(problem.reason, problem.message)
}

/** Checks whether the platform allows runs to mount the persistent volume claims. */
export function claimProblem(
  { volumes = [] }: Workload,
  { claimsAllowed }: Rules,
): Refused | undefined {
  if (claimsAllowed.length === 0) return undefined
  for (const { type, claimName = '' } of volumes) {
    if (type !== 'pvc' || firstMatch(claimsAllowed, claimName) !== undefined) continue
    return refused(
      'ClaimNotAllowed',
      `the platform does not allow the PersistentVolumeClaim ${claimName}, only ${claimsAllowed.join(', ')}`,
    )
  }
  return undefined
}
