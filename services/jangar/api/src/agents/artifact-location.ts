import { object, optional, string } from '@agents/crd'

/** An artifact of a run, and its location. */
export function artifactLocation(description: string) {
  return object(description, {
    name: string('Name of the artifact.'),
    path: optional(string('Path in the file system of the container.')),
    key: optional(string('Key in artifact storage.')),
    url: optional(string('URL to download it from.')),
  })
}
