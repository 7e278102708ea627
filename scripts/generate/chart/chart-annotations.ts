import type { AnyKind } from '@agents/crd'
import { parseDocument, Scalar, stringify } from 'yaml'

/**
 * Sets the annotations in Chart.yaml that Artifact Hub shows: the CRDs and the image of the chart. Everything else in
 * the file is written by hand.
 */
export function withAnnotations(
  chartYaml: string,
  kinds: readonly AnyKind[],
  repository: string,
): string {
  const document = parseDocument(chartYaml)
  const image = `${repository}:${document.get('appVersion')}`
  const annotate = (name: string, value: unknown) => {
    const text = new Scalar(stringify(value, { lineWidth: 0 }))
    text.type = Scalar.BLOCK_LITERAL
    document.setIn(['annotations', `artifacthub.io/${name}`], text)
  }
  annotate(
    'crds',
    kinds.map(({ kind, group, plural, version, description }) => ({
      kind,
      version,
      name: `${plural}.${group}`,
      displayName: kind,
      description,
    })),
  )
  annotate('images', [{ name: 'agents', image }])
  return document.toString({ lineWidth: 0, flowCollectionPadding: false })
}
