/** A fenced block of a Markdown text, and its heading. */
export interface CodeBlock {
  language: string;
  heading: string;
  text: string;
}

export function codeBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let heading = '';
  let open: CodeBlock | undefined;
  for (const line of markdown.split('\n')) {
    const fence = /^```(\w*)/.exec(line);
    if (open && fence) {
      blocks.push(open);
      open = undefined;
    } else if (open) open.text += `${line}\n`;
    else if (fence) open = { language: fence[1]!, heading, text: '' };
    else heading = /^#+\s+(.*)$/.exec(line)?.[1] ?? heading;
  }
  return blocks;
}

/** Links to files and headings of the repository, without links to other sites. */
export function linksOf(markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)]
    .map((match) => match[1]!)
    .filter((link) => !/^\w+:/.test(link));
}

/** Folders in headings of ARCHITECTURE.md: `## src/patent: …`, with or without backquotes. */
export function foldersInHeadings(markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, '');
  return [...prose.matchAll(/^#+\s+`?((?:src|native)\/[\w-]+)/gm)].map((match) => match[1]!);
}

/**
 * Command lines of priorart in a Markdown text, as words after `priorart`: lines of shell blocks, and inline code.
 * Lines joined by `\` are one; comments and pipes with their right side are left out.
 */
export function commandLines(markdown: string): string[][] {
  const shell = codeBlocks(markdown)
    .filter((block) => ['sh', 'bash', 'shell', 'console'].includes(block.language))
    .flatMap((block) => block.text.replace(/\\\n/g, ' ').split('\n'));
  const inline = [...markdown.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)].map(
    (match) => match[1]!,
  );
  return [...shell, ...inline].flatMap((line) => {
    const command = /^(?:\$ )?(?:[A-Z_]+=\S+ )*(?:npx )?priorart(?: (.*))?$/.exec(line.trim())?.[1];
    if (command === undefined) return [];
    return [
      command
        .split(/ [#|>&]/)[0]!
        .trim()
        .split(/\s+/),
    ];
  });
}

/** Absolute paths of a user or a server, which exist on one machine only. */
export function machinePaths(text: string): string[] {
  const folders = ['work', 'root', 'home'].join('|');
  return [...text.matchAll(new RegExp(`(?<![\\w.~/-])/(?:${folders})/[\\w.-]+`, 'g'))].map(
    (match) => match[0],
  );
}
