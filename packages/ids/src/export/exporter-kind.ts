// SPDX-License-Identifier: Apache-2.0
/** What is known of an exporter before it is opened: how its URL looks, and what settings it takes. */
import type {Exporter, ExporterOptions, ExportShape} from './exporter.ts';
import type {ExportFileKey} from './settings.ts';

/** `check`: undefined if the text will do, else what it must be ("a port from 1 to 65535"). */
export type ExporterOption = {readonly check: (text: string) => string | undefined; readonly doc: string};

export type ExporterKind = {
  /** What a URL looks like, for messages. */
  readonly form: string;
  /** Undefined if the URL will do, else what is wrong with it, and the way out. */
  readonly check: (url: URL) => string | undefined;
  /** Parameters of the URL beyond the settings that all have; they come as `settings.options`. */
  readonly options: Readonly<Record<string, ExporterOption>>;
  /** Files that it can use; others are refused. */
  readonly files: readonly ExportFileKey[];
  readonly takesHeaders: boolean;
  /** Parameters that are no setting are part of the URL; else they are refused. */
  readonly keepsQuery: boolean;
  /** Undefined: it has a form of its own, and `format` is refused. */
  readonly defaultFormat: ExportShape | undefined;
  /** Connects to nothing yet. Throws ExportError for what cannot work at all, such as a certificate that cannot be read. */
  readonly open: (options: ExporterOptions) => Promise<Exporter>;
};
