import { useMemo } from 'react';
import { parseMarkdown, type Block, type Inline } from './markdown.js';
import css from './markdown-view.module.css';

/** Markdown as elements of this page. No text becomes HTML, so that nothing in it can run. */
export function MarkdownView({ text }: { readonly text: string }) {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  return (
    <div className={css.markdown}>
      <Blocks blocks={blocks} />
    </div>
  );
}

/* Parts of a text have no identity of their own, and their order never changes. */

function Blocks({ blocks }: { readonly blocks: readonly Block[] }) {
  return blocks.map((block, index) => <BlockView key={index} block={block} />);
}

function BlockView({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case 'heading':
      // Headings of a message are not headings of the page.
      return (
        <p className={block.level < 3 ? css.large : css.heading}>
          <Inlines inline={block.inline} />
        </p>
      );
    case 'code':
      return <pre tabIndex={0}>{block.text}</pre>;
    case 'list': {
      const List = block.isOrdered ? 'ol' : 'ul';
      return (
        <List>
          {block.items.map((item, index) => (
            <li key={index}>
              <Blocks blocks={item} />
            </li>
          ))}
        </List>
      );
    }
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case 'table':
      return <Table rows={block.rows} />;
    case 'rule':
      return <hr />;
    case 'paragraph':
      return (
        <p>
          <Inlines inline={block.inline} />
        </p>
      );
  }
}

function Table({
  rows: [head = [], ...rows],
}: {
  readonly rows: readonly (readonly Inline[])[][];
}) {
  return (
    <table>
      <thead>
        <tr>
          {head.map((cell, index) => (
            <th key={index} scope="col">
              <Inlines inline={cell} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {row.map((cell, place) => (
              <td key={place}>
                <Inlines inline={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Inlines({ inline }: { readonly inline: readonly Inline[] }) {
  return inline.map((one, index) => {
    switch (one.kind) {
      case 'text':
        return one.text;
      case 'code':
        return <code key={index}>{one.text}</code>;
      case 'strong':
        return (
          <strong key={index}>
            <Inlines inline={one.inline} />
          </strong>
        );
      case 'em':
        return (
          <em key={index}>
            <Inlines inline={one.inline} />
          </em>
        );
      case 'link':
        return (
          <a key={index} href={one.href} target="_blank" rel="noopener noreferrer">
            <Inlines inline={one.inline} />
          </a>
        );
    }
  });
}
