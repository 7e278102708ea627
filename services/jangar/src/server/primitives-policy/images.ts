import { firstMatch } from '@agents/patterns'
import { imageForms, readImage } from './image-reference.ts'
import type { PolicyProblem } from './policy-problem.ts'

/** Patterns of images that may and may not run. */
interface ImageRules {
  readonly imagesAllowed: readonly string[]
  readonly imagesDenied: readonly string[]
}

type ImageProblem = PolicyProblem<'ImageBlocked' | 'ImageNotAllowed'>

/**
 * Checks the image against the platform's policy, in every spelling of its name. Deny takes precedence over allow.
 * `field` names what to change in the message.
 */
export function imageProblem(
  image: string,
  { imagesDenied, imagesAllowed }: ImageRules,
  field: string,
): ImageProblem | undefined {
  if (imagesDenied.length === 0 && imagesAllowed.length === 0) return undefined
  const reference = readImage(image)
  if (reference === undefined) {
    return { reason: 'ImageNotAllowed', message: `${image} is not a valid image reference` }
  }
  const forms = imageForms(reference)
  const denied = imagesDenied.find((pattern) =>
    forms.some(({ text }) => firstMatch([pattern.toLowerCase()], text.toLowerCase())),
  )
  if (denied !== undefined) {
    return {
      reason: 'ImageBlocked',
      message: `the platform blocks the image ${image} (pattern ${denied}); set ${field} to another one`,
    }
  }
  const isAllowed = forms.some(
    ({ isExact, text }) => isExact && firstMatch(imagesAllowed, text) !== undefined,
  )
  if (imagesAllowed.length === 0 || isAllowed) return undefined
  return {
    reason: 'ImageNotAllowed',
    message: `the platform does not allow the image ${image}, only ${imagesAllowed.join(', ')}; set ${field} to one of them`,
  }
}
