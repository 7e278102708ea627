import { wideColumn } from '../printer.ts'

/** The part of a pod template that is printed. */
export interface PodTemplate {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> }
  readonly spec?: {
    readonly nodeSelector?: Readonly<Record<string, string>>
    readonly containers?: readonly { readonly name: string; readonly image?: string }[]
  }
}

export const containerColumns = [wideColumn('Containers'), wideColumn('Images')]

export function containerCells(template: PodTemplate | undefined): [names: string, images: string] {
  const containers = template?.spec?.containers ?? []
  return [
    containers.map(({ name }) => name).join(','),
    containers.map(({ image }) => image ?? '').join(','),
  ]
}
