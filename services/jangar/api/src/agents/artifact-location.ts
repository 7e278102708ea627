import { object, optional, string } from '@agents/crd'

interface Descriptions {
  readonly key: string
  readonly url: string
}

/** An artifact of a run, and its location. */
export function artifactLocation(description: string, { key, url }: Descriptions) {
  return object(description, {
    name: string('Name of the artifact.'),
    path: optional(string('Path in the file system of the container.')),
    key: optional(string(key)),
    url: optional(string(url)),
  })
}
