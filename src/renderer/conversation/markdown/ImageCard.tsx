import { ImageOff } from "lucide-react";
import { useTranslation } from "react-i18next";
import styles from "./Markdown.module.css";

/** Pictures that carry their own pixels and nothing else. */
const ownPixels = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;

/** An image in an answer. What would have to be fetched is only named: the fetch alone could carry a secret away. */
export function ImageCard({ address, alt }: { address: string; alt: string }) {
  const { t } = useTranslation();
  if (address.startsWith("streamdown:")) return null; // its address is still being written
  if (ownPixels.test(address)) return <img className={styles.picture} src={address} alt={alt} />;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return (
    <span className={styles.image}>
      <ImageOff size={16} aria-hidden />
      <span>
        {alt !== "" && <span>{alt} · </span>}
        {url?.host ? t("conversation.imageFrom", { host: url.host }) : t("conversation.imageRefused")}
        <code className={styles.imageAddress}>{address.slice(0, 300)}</code>
      </span>
    </span>
  );
}
