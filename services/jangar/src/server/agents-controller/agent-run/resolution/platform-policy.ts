import type { AgentsPorts } from '../../ports.ts'
import { refused } from './problem.ts'
import type { Refused } from './resolution.ts'
import { firstMatch } from './wildcard.ts'

type Rules = AgentsPorts['config']['agents']['admission']

/** What the platform demands and forbids of a run's labels. */
export function labelProblem(
  labels: Readonly<Record<string, string>>,
  { labelsRequired, labelsDenied, labelsAllowed }: Rules,
): Refused | undefined {
  const keys = Object.keys(labels)
  const missing = labelsRequired.filter((key) => !keys.includes(key))
  if (missing.length > 0) {
    return refused(
      'MissingRequiredLabels',
      `the platform demands the labels ${missing.join(', ')}; create the run again with them`,
    )
  }
  for (const key of keys) {
    const pattern = firstMatch(labelsDenied, key)
    if (pattern === undefined) continue
    return refused(
      'LabelBlocked',
      `the platform forbids the label ${key} (by ${pattern}); create the run again without it`,
    )
  }
  const alien = keys.find((key) => firstMatch(labelsAllowed, key) === undefined)
  if (labelsAllowed.length === 0 || alien === undefined) return undefined
  return refused(
    'LabelNotAllowed',
    `the platform does not allow the label ${alien}, only ${labelsAllowed.join(', ')}; create the run again without it`,
  )
}

/** Whether the platform lets the image run. What is denied outweighs what is allowed. */
export function imageProblem(
  image: string,
  { imagesDenied, imagesAllowed }: Rules,
): Refused | undefined {
  const denied = firstMatch(imagesDenied, image)
  if (denied !== undefined) {
    return refused(
      'ImageBlocked',
      `the platform forbids the image ${image} (by ${denied}); name another in workload.image`,
    )
  }
  if (imagesAllowed.length === 0 || firstMatch(imagesAllowed, image) !== undefined) return undefined
  return refused(
    'ImageNotAllowed',
    `the platform does not allow the image ${image}, only ${imagesAllowed.join(', ')}; name another in workload.image`,
  )
}
