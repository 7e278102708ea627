import { object, optional, string } from '@agents/crd'

/** Something that a run leaves behind, and where it is to be found. */
export function artifactLocation(description: string) {
  return object(description, {
    name: string('What it is called.'),
    path: optional(string('Where it lies in the container’s file system.')),
    key: optional(string('Under which key it is kept in artifact storage.')),
    url: optional(string('Where it can be fetched from.')),
  })
}
